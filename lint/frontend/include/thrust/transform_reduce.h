// See cudalint/thrust/algorithms.h.
#pragma once
#include "../cudalint/thrust/algorithms.h"

