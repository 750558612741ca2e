// CUDA driver API.
#pragma once
#include <cudalint_prelude.h>
