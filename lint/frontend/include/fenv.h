// Floating-point environment.
#pragma once
#define FE_TONEAREST 0
#define FE_DOWNWARD 0x400
#define FE_UPWARD 0x800
#define FE_TOWARDZERO 0xc00
#define FE_INVALID 1
#define FE_DIVBYZERO 4
#define FE_OVERFLOW 8
extern "C" int fesetround(int round) noexcept;
extern "C" int fegetround() noexcept;
extern "C" int feenableexcept(int excepts) noexcept;
extern "C" int feclearexcept(int excepts) noexcept;
