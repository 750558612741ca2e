// Math functions are always visible: see cudalint/math.h.
#pragma once
#include <cudalint_prelude.h>
