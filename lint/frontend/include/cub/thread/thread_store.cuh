// See cudalint/cub/util.h.
#pragma once
#include "../../cudalint/cub/util.h"

