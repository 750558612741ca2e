// cuSPARSE.
#pragma once
#include <cusparse.h>

