// See cudalint/thrust/random.h.
#pragma once
#include "../../cudalint/thrust/random.h"

