// Resource usage and limits.
#pragma once
#include <sys/time.h>
#define RUSAGE_SELF 0
#define RUSAGE_CHILDREN (-1)
#define RLIMIT_STACK 3
#define RLIMIT_DATA 2
#define RLIMIT_CORE 4
#define RLIMIT_NOFILE 7
#define RLIM_INFINITY ((unsigned long)-1)
#define RLIMIT_AS 9
#define RLIMIT_MEMLOCK 8
typedef unsigned long rlim_t;
struct rlimit { rlim_t rlim_cur, rlim_max; };
struct rusage {
  struct timeval ru_utime, ru_stime;
  long ru_maxrss, ru_ixrss, ru_idrss, ru_isrss, ru_minflt, ru_majflt, ru_nswap, ru_inblock, ru_oublock;
  long ru_msgsnd, ru_msgrcv, ru_nsignals, ru_nvcsw, ru_nivcsw;
};
extern "C" int getrusage(int who, struct rusage *usage) noexcept;
extern "C" int getrlimit(int resource, struct rlimit *rlim) noexcept;
extern "C" int setrlimit(int resource, const struct rlimit *rlim) noexcept;
