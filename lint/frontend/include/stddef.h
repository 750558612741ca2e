// size_t, ptrdiff_t, NULL and offsetof.
#pragma once
#include "cudalint/base.h"
