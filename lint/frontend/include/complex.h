// C complex numbers; in C++ the same as <complex>.
#pragma once
#include <complex>
