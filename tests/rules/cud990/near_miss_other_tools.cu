// The checks of other tools are none of our business, nor is a marker in a string.
const char *advice() { return "write // cudalint: ignore[CUD101] to silence it"; }

__global__ void scale(float *data, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= factor;  // NOLINT(readability-identifier-length)
}

// NOLINTNEXTLINE
int unused(int value) { return value; }
