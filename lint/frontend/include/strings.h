// BSD string functions.
#pragma once
#include <string.h>
