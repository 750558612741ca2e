// FFTW interface of cuFFT.
#pragma once
#include <cufft.h>

