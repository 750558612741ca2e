// Jumps across functions.
#pragma once
typedef long jmp_buf[32];
typedef long sigjmp_buf[32];
extern "C" {
int setjmp(jmp_buf env) noexcept;
int sigsetjmp(sigjmp_buf env, int save) noexcept;
[[noreturn]] void longjmp(jmp_buf env, int value) noexcept;
[[noreturn]] void siglongjmp(sigjmp_buf env, int value) noexcept;
}
