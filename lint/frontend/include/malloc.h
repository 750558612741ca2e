// Allocation functions beyond the standard.
#pragma once
#include <stdlib.h>
