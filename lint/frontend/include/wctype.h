// Classes of wide characters.
#pragma once
#include <wchar.h>
extern "C" {
int iswalnum(wint_t c) noexcept;
int iswalpha(wint_t c) noexcept;
int iswdigit(wint_t c) noexcept;
int iswspace(wint_t c) noexcept;
int iswupper(wint_t c) noexcept;
int iswlower(wint_t c) noexcept;
wint_t towlower(wint_t c) noexcept;
wint_t towupper(wint_t c) noexcept;
}
