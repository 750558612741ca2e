// Wall-clock time in microseconds.
#pragma once
#include <time.h>
#include <sys/types.h>
struct timezone { int tz_minuteswest, tz_dsttime; };
struct itimerval { struct timeval it_interval, it_value; };
extern "C" int setitimer(int which, const struct itimerval *new_value, struct itimerval *old_value) noexcept;
#define timersub(a, b, result) \
  ((result)->tv_sec = (a)->tv_sec - (b)->tv_sec, (result)->tv_usec = (a)->tv_usec - (b)->tv_usec)
#define timeradd(a, b, result) \
  ((result)->tv_sec = (a)->tv_sec + (b)->tv_sec, (result)->tv_usec = (a)->tv_usec + (b)->tv_usec)
