// See cudalint/cub/warp.h.
#pragma once
#include "../../cudalint/cub/warp.h"

