// See cudalint/cub/device.h.
#pragma once
#include "../../cudalint/cub/device.h"

