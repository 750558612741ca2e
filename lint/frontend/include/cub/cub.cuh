// All of cub.
#pragma once
#include "../cudalint/cub/warp.h"
#include "../cudalint/cub/device.h"

