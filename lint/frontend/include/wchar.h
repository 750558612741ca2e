// Wide characters.
#pragma once
#include <stddef.h>
#include <stdio.h>
typedef unsigned int wint_t;
typedef struct { int count; unsigned value; } mbstate_t;
#define WEOF (0xffffffffu)
extern "C" {
size_t wcslen(const wchar_t *s) noexcept;
int wcscmp(const wchar_t *a, const wchar_t *b) noexcept;
int wcsncmp(const wchar_t *a, const wchar_t *b, size_t n) noexcept;
wchar_t *wcscpy(wchar_t *dest, const wchar_t *src) noexcept;
wchar_t *wcsncpy(wchar_t *dest, const wchar_t *src, size_t n) noexcept;
wchar_t *wcscat(wchar_t *dest, const wchar_t *src) noexcept;
wchar_t *wcschr(const wchar_t *s, wchar_t c) noexcept;
wchar_t *wcsstr(const wchar_t *s, const wchar_t *part) noexcept;
wchar_t *wmemcpy(wchar_t *dest, const wchar_t *src, size_t n) noexcept;
wchar_t *wmemset(wchar_t *dest, wchar_t c, size_t n) noexcept;
int wprintf(const wchar_t *format, ...);
int swprintf(wchar_t *s, size_t n, const wchar_t *format, ...) noexcept;
long wcstol(const wchar_t *s, wchar_t **end, int base) noexcept;
double wcstod(const wchar_t *s, wchar_t **end) noexcept;
size_t mbrtowc(wchar_t *dest, const char *s, size_t n, mbstate_t *state) noexcept;
size_t wcrtomb(char *s, wchar_t c, mbstate_t *state) noexcept;
}
