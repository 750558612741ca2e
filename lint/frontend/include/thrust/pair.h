// See cudalint/thrust/core.h.
#pragma once
#include "../cudalint/thrust/core.h"

