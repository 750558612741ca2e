// Video instructions on two halfwords or four bytes packed into a 32-bit word.
#pragma once

#define CUDALINT_SIMD1(name) \
  unsigned int name##2(unsigned int a); \
  unsigned int name##4(unsigned int a);
#define CUDALINT_SIMD2(name) \
  unsigned int name##2(unsigned int a, unsigned int b); \
  unsigned int name##4(unsigned int a, unsigned int b);
CUDALINT_SIMD1(__vabs) CUDALINT_SIMD1(__vabsss) CUDALINT_SIMD1(__vneg) CUDALINT_SIMD1(__vnegss)
CUDALINT_SIMD2(__vadd) CUDALINT_SIMD2(__vaddss) CUDALINT_SIMD2(__vaddus) CUDALINT_SIMD2(__vsub)
CUDALINT_SIMD2(__vsubss) CUDALINT_SIMD2(__vsubus) CUDALINT_SIMD2(__vabsdiffs) CUDALINT_SIMD2(__vabsdiffu)
CUDALINT_SIMD2(__vavgs) CUDALINT_SIMD2(__vavgu) CUDALINT_SIMD2(__vhaddu) CUDALINT_SIMD2(__vmaxs)
CUDALINT_SIMD2(__vmaxu) CUDALINT_SIMD2(__vmins) CUDALINT_SIMD2(__vminu) CUDALINT_SIMD2(__vsads)
CUDALINT_SIMD2(__vsadu) CUDALINT_SIMD2(__vcmpeq) CUDALINT_SIMD2(__vcmpne) CUDALINT_SIMD2(__vcmpges)
CUDALINT_SIMD2(__vcmpgeu) CUDALINT_SIMD2(__vcmpgts) CUDALINT_SIMD2(__vcmpgtu) CUDALINT_SIMD2(__vcmples)
CUDALINT_SIMD2(__vcmpleu) CUDALINT_SIMD2(__vcmplts) CUDALINT_SIMD2(__vcmpltu) CUDALINT_SIMD2(__vseteq)
CUDALINT_SIMD2(__vsetne) CUDALINT_SIMD2(__vsetges) CUDALINT_SIMD2(__vsetgeu) CUDALINT_SIMD2(__vsetgts)
CUDALINT_SIMD2(__vsetgtu) CUDALINT_SIMD2(__vsetles) CUDALINT_SIMD2(__vsetleu) CUDALINT_SIMD2(__vsetlts)
CUDALINT_SIMD2(__vsetltu)
#undef CUDALINT_SIMD1
#undef CUDALINT_SIMD2

// Dynamic-programming instructions (min and max of two or three, with an addition or a clamp at zero).
int __vimax3_s32(int a, int b, int c);
int __viaddmax_s32(int a, int b, int c);
int __vibmax_s32(int a, int b, bool *pred);
int __vimax_s32_relu(int a, int b);
int __vimax3_s32_relu(int a, int b, int c);
int __viaddmax_s32_relu(int a, int b, int c);
int __vimin3_s32(int a, int b, int c);
int __viaddmin_s32(int a, int b, int c);
int __vibmin_s32(int a, int b, bool *pred);
int __vimin_s32_relu(int a, int b);
int __vimin3_s32_relu(int a, int b, int c);
int __viaddmin_s32_relu(int a, int b, int c);
unsigned int __vimax3_u32(unsigned int a, unsigned int b, unsigned int c);
unsigned int __viaddmax_u32(unsigned int a, unsigned int b, unsigned int c);
unsigned int __vibmax_u32(unsigned int a, unsigned int b, bool *pred);
unsigned int __vimin3_u32(unsigned int a, unsigned int b, unsigned int c);
unsigned int __viaddmin_u32(unsigned int a, unsigned int b, unsigned int c);
unsigned int __vibmin_u32(unsigned int a, unsigned int b, bool *pred);
unsigned int __vimax3_s16x2(unsigned int a, unsigned int b, unsigned int c);
unsigned int __viaddmax_s16x2(unsigned int a, unsigned int b, unsigned int c);
unsigned int __vibmax_s16x2(unsigned int a, unsigned int b, bool *pred_hi, bool *pred_lo);
unsigned int __vimax_s16x2_relu(unsigned int a, unsigned int b);
unsigned int __vimax3_s16x2_relu(unsigned int a, unsigned int b, unsigned int c);
unsigned int __viaddmax_s16x2_relu(unsigned int a, unsigned int b, unsigned int c);
unsigned int __vimin3_s16x2(unsigned int a, unsigned int b, unsigned int c);
unsigned int __viaddmin_s16x2(unsigned int a, unsigned int b, unsigned int c);
unsigned int __vibmin_s16x2(unsigned int a, unsigned int b, bool *pred_hi, bool *pred_lo);
unsigned int __vimin_s16x2_relu(unsigned int a, unsigned int b);
unsigned int __vimin3_s16x2_relu(unsigned int a, unsigned int b, unsigned int c);
unsigned int __viaddmin_s16x2_relu(unsigned int a, unsigned int b, unsigned int c);
unsigned int __vimax3_u16x2(unsigned int a, unsigned int b, unsigned int c);
unsigned int __viaddmax_u16x2(unsigned int a, unsigned int b, unsigned int c);
unsigned int __vibmax_u16x2(unsigned int a, unsigned int b, bool *pred_hi, bool *pred_lo);
unsigned int __vimin3_u16x2(unsigned int a, unsigned int b, unsigned int c);
unsigned int __viaddmin_u16x2(unsigned int a, unsigned int b, unsigned int c);
unsigned int __vibmin_u16x2(unsigned int a, unsigned int b, bool *pred_hi, bool *pred_lo);
