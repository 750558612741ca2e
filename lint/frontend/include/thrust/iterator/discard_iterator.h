// See cudalint/thrust/iterators.h.
#pragma once
#include "../../cudalint/thrust/iterators.h"

