// Time with milliseconds.
#pragma once
#include <time.h>
struct timeb { time_t time; unsigned short millitm; short timezone, dstflag; };
extern "C" int ftime(struct timeb *tp) noexcept;
