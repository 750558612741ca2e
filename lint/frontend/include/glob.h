// Path patterns.
#pragma once
#include <stddef.h>
typedef struct {
  size_t gl_pathc;
  char **gl_pathv;
  size_t gl_offs;
} glob_t;
#define GLOB_ERR 1
#define GLOB_NOSORT 4
#define GLOB_TILDE 4096
#define GLOB_NOMATCH 3
extern "C" int glob(const char *pattern, int flags, int (*errfunc)(const char *epath, int eerrno), glob_t *pglob) noexcept;
extern "C" void globfree(glob_t *pglob) noexcept;
