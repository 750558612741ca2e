// Calendar time, clocks and sleeping.
#pragma once
#include "cudalint/base.h"
#define CLOCKS_PER_SEC ((clock_t)1000000)
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define CLOCK_PROCESS_CPUTIME_ID 2
#define CLOCK_THREAD_CPUTIME_ID 3
#define CLOCK_MONOTONIC_RAW 4
#define TIME_UTC 1
typedef long time_t;
typedef long clock_t;
typedef int clockid_t;
struct timeval { time_t tv_sec; long tv_usec; };
struct timespec { time_t tv_sec; long tv_nsec; };
struct tm {
  int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
  long tm_gmtoff;
  const char *tm_zone;
};
#pragma clang force_cuda_host_device begin
extern "C" {
clock_t clock() noexcept;
time_t time(time_t *tloc) noexcept;
double difftime(time_t time1, time_t time0) noexcept;
time_t mktime(struct tm *tm) noexcept;
struct tm *localtime(const time_t *timep) noexcept;
struct tm *gmtime(const time_t *timep) noexcept;
struct tm *localtime_r(const time_t *timep, struct tm *result) noexcept;
struct tm *gmtime_r(const time_t *timep, struct tm *result) noexcept;
char *asctime(const struct tm *tm) noexcept;
char *ctime(const time_t *timep) noexcept;
size_t strftime(char *s, size_t max, const char *format, const struct tm *tm) noexcept;
int gettimeofday(struct timeval *tv, void *tz) noexcept;
int clock_gettime(clockid_t clockid, struct timespec *tp) noexcept;
int clock_getres(clockid_t clockid, struct timespec *res) noexcept;
int timespec_get(struct timespec *ts, int base) noexcept;
int nanosleep(const struct timespec *req, struct timespec *rem);
}
#pragma clang force_cuda_host_device end
