// Memory mapping.
#pragma once
#include <sys/types.h>
#define PROT_NONE 0
#define PROT_READ 1
#define PROT_WRITE 2
#define PROT_EXEC 4
#define MAP_SHARED 1
#define MAP_PRIVATE 2
#define MAP_FIXED 0x10
#define MAP_ANONYMOUS 0x20
#define MAP_ANON MAP_ANONYMOUS
#define MAP_POPULATE 0x8000
#define MAP_HUGETLB 0x40000
#define MAP_FAILED ((void *)-1)
#define MADV_SEQUENTIAL 2
#define MADV_HUGEPAGE 14
extern "C" {
void *mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset) noexcept;
int munmap(void *addr, size_t length) noexcept;
int mprotect(void *addr, size_t len, int prot) noexcept;
int madvise(void *addr, size_t length, int advice) noexcept;
int mlock(const void *addr, size_t len) noexcept;
int munlock(const void *addr, size_t len) noexcept;
int msync(void *addr, size_t length, int flags);
int shm_open(const char *name, int oflag, mode_t mode);
int shm_unlink(const char *name);
}
