// Rounding of conversions; everything else is in the prelude.
#pragma once
#include <cudalint_prelude.h>
enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };
