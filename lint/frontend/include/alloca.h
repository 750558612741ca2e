// alloca.
#pragma once
#include <stdlib.h>
