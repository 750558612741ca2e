// POSIX threads.
#pragma once
#include <sys/types.h>
#include <time.h>
#include <sched.h>
typedef unsigned long pthread_t;
typedef union { char size[56]; long align; } pthread_attr_t;
typedef union { char size[40]; long align; } pthread_mutex_t;
typedef union { char size[4]; int align; } pthread_mutexattr_t;
typedef union { char size[48]; long align; } pthread_cond_t;
typedef union { char size[4]; int align; } pthread_condattr_t;
typedef union { char size[32]; long align; } pthread_barrier_t;
typedef union { char size[4]; int align; } pthread_barrierattr_t;
typedef unsigned int pthread_key_t;
typedef int pthread_once_t;
#define PTHREAD_MUTEX_INITIALIZER {{0}}
#define PTHREAD_COND_INITIALIZER {{0}}
#define PTHREAD_ONCE_INIT 0
#define PTHREAD_CREATE_JOINABLE 0
#define PTHREAD_CREATE_DETACHED 1
#define PTHREAD_PROCESS_SHARED 1
#define PTHREAD_BARRIER_SERIAL_THREAD (-1)
extern "C" {
int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start_routine)(void *), void *arg) noexcept;
int pthread_join(pthread_t thread, void **retval);
int pthread_detach(pthread_t thread) noexcept;
void pthread_exit(void *retval) __attribute__((noreturn));
int pthread_cancel(pthread_t thread);
pthread_t pthread_self() noexcept;
int pthread_attr_init(pthread_attr_t *attr) noexcept;
int pthread_attr_destroy(pthread_attr_t *attr) noexcept;
int pthread_attr_setdetachstate(pthread_attr_t *attr, int detachstate) noexcept;
int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr) noexcept;
int pthread_mutex_destroy(pthread_mutex_t *mutex) noexcept;
int pthread_mutex_lock(pthread_mutex_t *mutex) noexcept;
int pthread_mutex_trylock(pthread_mutex_t *mutex) noexcept;
int pthread_mutex_unlock(pthread_mutex_t *mutex) noexcept;
int pthread_mutexattr_init(pthread_mutexattr_t *attr) noexcept;
int pthread_mutexattr_setpshared(pthread_mutexattr_t *attr, int pshared) noexcept;
int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attr) noexcept;
int pthread_cond_destroy(pthread_cond_t *cond) noexcept;
int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex);
int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *abstime);
int pthread_cond_signal(pthread_cond_t *cond) noexcept;
int pthread_cond_broadcast(pthread_cond_t *cond) noexcept;
int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attr, unsigned int count) noexcept;
int pthread_barrier_wait(pthread_barrier_t *barrier) noexcept;
int pthread_barrier_destroy(pthread_barrier_t *barrier) noexcept;
int pthread_once(pthread_once_t *once_control, void (*init_routine)());
int pthread_setaffinity_np(pthread_t thread, size_t cpusetsize, const cpu_set_t *cpuset) noexcept;
}
