// cuSOLVER, sparse.
#pragma once
#include <cusolverSp.h>

