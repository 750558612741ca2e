// Scheduling.
#pragma once
#include <sys/types.h>
typedef struct { unsigned long bits[16]; } cpu_set_t;
#define CPU_ZERO(set) ((void)(set))
#define CPU_SET(cpu, set) ((void)(cpu), (void)(set))
extern "C" int sched_yield() noexcept;
extern "C" int sched_setaffinity(pid_t pid, size_t cpusetsize, const cpu_set_t *mask) noexcept;
extern "C" int sched_getcpu() noexcept;
