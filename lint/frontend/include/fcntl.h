// Opening files.
#pragma once
#include <sys/types.h>
#define O_RDONLY 0
#define O_WRONLY 1
#define O_RDWR 2
#define O_CREAT 0100
#define O_EXCL 0200
#define O_TRUNC 01000
#define O_APPEND 02000
#define O_NONBLOCK 04000
#define O_CLOEXEC 02000000
#define O_DIRECT 040000
#define F_GETFL 3
#define F_SETFL 4
extern "C" int open(const char *pathname, int flags, ...);
extern "C" int creat(const char *pathname, mode_t mode);
extern "C" int fcntl(int fd, int cmd, ...);
extern "C" int posix_fallocate(int fd, off_t offset, off_t len);
