// Everything is in the prelude.
#pragma once
#include <cudalint_prelude.h>
