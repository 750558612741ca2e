// cuSOLVER.
#pragma once
#include <cusolverDn.h>

