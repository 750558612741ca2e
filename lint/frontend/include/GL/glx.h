// GLX: looking up functions.
#pragma once
#include "gl.h"
typedef void (*__GLXextFuncPtr)();
extern "C" __GLXextFuncPtr glXGetProcAddress(const GLubyte *procName);
extern "C" __GLXextFuncPtr glXGetProcAddressARB(const GLubyte *procName);
