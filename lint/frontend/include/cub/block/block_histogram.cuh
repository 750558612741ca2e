// See cudalint/cub/block.h.
#pragma once
#include "../../cudalint/cub/block.h"

