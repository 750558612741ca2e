// Old spelling of string.h.
#pragma once
#include <string.h>
