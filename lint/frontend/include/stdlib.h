// C standard library: memory, conversion, random numbers, processes.
#pragma once
#include "cudalint/base.h"
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
#define MB_CUR_MAX ((size_t)1)
#pragma clang force_cuda_host_device begin
typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
typedef struct { long long quot, rem; } lldiv_t;
extern "C" {
void *malloc(size_t size) noexcept;
void *calloc(size_t nmemb, size_t size) noexcept;
void *realloc(void *ptr, size_t size) noexcept;
void *reallocarray(void *ptr, size_t nmemb, size_t size) noexcept;
void free(void *ptr) noexcept;
void *aligned_alloc(size_t alignment, size_t size) noexcept;
void *memalign(size_t alignment, size_t size) noexcept;
void *valloc(size_t size) noexcept;
int posix_memalign(void **memptr, size_t alignment, size_t size) noexcept;
void abort() noexcept __attribute__((noreturn));
void exit(int status) noexcept __attribute__((noreturn));
void _Exit(int status) noexcept __attribute__((noreturn));
void quick_exit(int status) noexcept __attribute__((noreturn));
int atexit(void (*function)()) noexcept;
int atoi(const char *nptr) noexcept;
long atol(const char *nptr) noexcept;
long long atoll(const char *nptr) noexcept;
double atof(const char *nptr) noexcept;
long strtol(const char *nptr, char **endptr, int base) noexcept;
long long strtoll(const char *nptr, char **endptr, int base) noexcept;
unsigned long strtoul(const char *nptr, char **endptr, int base) noexcept;
unsigned long long strtoull(const char *nptr, char **endptr, int base) noexcept;
float strtof(const char *nptr, char **endptr) noexcept;
double strtod(const char *nptr, char **endptr) noexcept;
long double strtold(const char *nptr, char **endptr) noexcept;
int rand() noexcept;
void srand(unsigned int seed) noexcept;
int rand_r(unsigned int *seedp) noexcept;
long random() noexcept;
void srandom(unsigned int seed) noexcept;
char *initstate(unsigned int seed, char *state, size_t n) noexcept;
char *setstate(char *state) noexcept;
double drand48() noexcept;
double erand48(unsigned short xsubi[3]) noexcept;
long lrand48() noexcept;
long nrand48(unsigned short xsubi[3]) noexcept;
long mrand48() noexcept;
void srand48(long seedval) noexcept;
unsigned short *seed48(unsigned short seed16v[3]) noexcept;
char *getenv(const char *name) noexcept;
int setenv(const char *name, const char *value, int overwrite) noexcept;
int unsetenv(const char *name) noexcept;
int putenv(char *string) noexcept;
int system(const char *command);
char *realpath(const char *path, char *resolved_path) noexcept;
int mkstemp(char *path);
char *mkdtemp(char *path) noexcept;
void qsort(void *base, size_t nmemb, size_t size, int (*compar)(const void *, const void *));
void *bsearch(const void *key, const void *base, size_t nmemb, size_t size, int (*compar)(const void *, const void *));
div_t div(int numerator, int denominator) noexcept;
ldiv_t ldiv(long numerator, long denominator) noexcept;
lldiv_t lldiv(long long numerator, long long denominator) noexcept;
int getloadavg(double loadavg[], int nelem) noexcept;
size_t mbstowcs(wchar_t *dest, const char *src, size_t n) noexcept;
size_t wcstombs(char *dest, const wchar_t *src, size_t n) noexcept;
int abs(int a) noexcept;
long labs(long a) noexcept;
long long llabs(long long a) noexcept;
}
#define alloca(size) __builtin_alloca(size)
#pragma clang force_cuda_host_device end
