// POSIX semaphores.
#pragma once
typedef struct { long state[4]; } sem_t;
extern "C" {
int sem_init(sem_t *sem, int shared, unsigned value) noexcept;
int sem_destroy(sem_t *sem) noexcept;
int sem_wait(sem_t *sem);
int sem_trywait(sem_t *sem) noexcept;
int sem_post(sem_t *sem) noexcept;
int sem_getvalue(sem_t *sem, int *value) noexcept;
}
