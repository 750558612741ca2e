// See cudalint/thrust/core.h.
#pragma once
#include "../cudalint/thrust/algorithms.h"

