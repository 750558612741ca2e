// C strings and memory blocks.
#pragma once
#include "cudalint/base.h"
#pragma clang force_cuda_host_device begin
extern "C" {
void *memcpy(void *dest, const void *src, size_t n) noexcept;
void *memmove(void *dest, const void *src, size_t n) noexcept;
void *mempcpy(void *dest, const void *src, size_t n) noexcept;
void *memset(void *s, int c, size_t n) noexcept;
int memcmp(const void *s1, const void *s2, size_t n) noexcept;
void *memmem(const void *haystack, size_t haystacklen, const void *needle, size_t needlelen) noexcept;
size_t strlen(const char *s) noexcept;
size_t strnlen(const char *s, size_t maxlen) noexcept;
char *strcpy(char *dest, const char *src) noexcept;
char *strncpy(char *dest, const char *src, size_t n) noexcept;
char *stpcpy(char *dest, const char *src) noexcept;
char *strcat(char *dest, const char *src) noexcept;
char *strncat(char *dest, const char *src, size_t n) noexcept;
int strcmp(const char *s1, const char *s2) noexcept;
int strncmp(const char *s1, const char *s2, size_t n) noexcept;
int strcasecmp(const char *s1, const char *s2) noexcept;
int strncasecmp(const char *s1, const char *s2, size_t n) noexcept;
int strcoll(const char *s1, const char *s2) noexcept;
size_t strspn(const char *s, const char *accept) noexcept;
size_t strcspn(const char *s, const char *reject) noexcept;
char *strtok(char *str, const char *delim) noexcept;
char *strtok_r(char *str, const char *delim, char **saveptr) noexcept;
char *strsep(char **stringp, const char *delim) noexcept;
char *strdup(const char *s) noexcept;
char *strndup(const char *s, size_t n) noexcept;
char *strerror(int errnum) noexcept;
char *strerror_r(int errnum, char *buf, size_t buflen) noexcept;
char *strsignal(int sig) noexcept;
void bzero(void *s, size_t n) noexcept;
void bcopy(const void *src, void *dest, size_t n) noexcept;
int ffs(int i) noexcept;
}
// The const overloads that C++ adds.
void *memchr(void *s, int c, size_t n) noexcept;
const void *memchr(const void *s, int c, size_t n) noexcept;
char *strchr(char *s, int c) noexcept;
const char *strchr(const char *s, int c) noexcept;
char *strrchr(char *s, int c) noexcept;
const char *strrchr(const char *s, int c) noexcept;
char *strstr(char *haystack, const char *needle) noexcept;
const char *strstr(const char *haystack, const char *needle) noexcept;
char *strcasestr(char *haystack, const char *needle) noexcept;
const char *strcasestr(const char *haystack, const char *needle) noexcept;
char *index(char *s, int c) noexcept;
const char *index(const char *s, int c) noexcept;
char *rindex(char *s, int c) noexcept;
const char *rindex(const char *s, int c) noexcept;
char *strpbrk(char *s, const char *accept) noexcept;
const char *strpbrk(const char *s, const char *accept) noexcept;
#pragma clang force_cuda_host_device end
