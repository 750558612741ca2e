// Locales of C.
#pragma once
#define LC_CTYPE 0
#define LC_NUMERIC 1
#define LC_TIME 2
#define LC_COLLATE 3
#define LC_MONETARY 4
#define LC_MESSAGES 5
#define LC_ALL 6
struct lconv { char *decimal_point; char *thousands_sep; char *grouping; };
extern "C" char *setlocale(int category, const char *locale) noexcept;
extern "C" struct lconv *localeconv(void) noexcept;
