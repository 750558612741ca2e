// Error messages and exit.
#pragma once
extern "C" void err(int eval, const char *fmt, ...) __attribute__((noreturn));
extern "C" void errx(int eval, const char *fmt, ...) __attribute__((noreturn));
extern "C" void warn(const char *fmt, ...);
extern "C" void warnx(const char *fmt, ...);
