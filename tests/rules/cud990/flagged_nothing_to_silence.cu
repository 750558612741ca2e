__global__ void copy(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];  // cudalint: ignore[CUD101] neighbours are read together // expect: CUD990@34
}

// cudalint: disable[CUD402, CUD999] the second is no rule // expect: CUD990@4
__global__ void fill(float *out, float value, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = value;  // NOLINT(cudalint-CUD101) // expect: CUD990@34
}
