// OpenMP run-time functions.
#pragma once
typedef struct { int opaque; } omp_lock_t;
typedef enum omp_sched_t { omp_sched_static = 1, omp_sched_dynamic = 2, omp_sched_guided = 3, omp_sched_auto = 4 } omp_sched_t;
extern "C" {
int omp_get_thread_num() noexcept;
int omp_get_num_threads() noexcept;
int omp_get_max_threads() noexcept;
int omp_get_num_procs() noexcept;
int omp_get_num_devices() noexcept;
int omp_in_parallel() noexcept;
void omp_set_num_threads(int num_threads) noexcept;
void omp_set_dynamic(int dynamic_threads) noexcept;
void omp_set_nested(int nested) noexcept;
void omp_set_schedule(omp_sched_t kind, int chunk_size) noexcept;
double omp_get_wtime() noexcept;
double omp_get_wtick() noexcept;
void omp_init_lock(omp_lock_t *lock) noexcept;
void omp_destroy_lock(omp_lock_t *lock) noexcept;
void omp_set_lock(omp_lock_t *lock) noexcept;
void omp_unset_lock(omp_lock_t *lock) noexcept;
}
