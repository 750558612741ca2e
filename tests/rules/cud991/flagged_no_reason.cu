__global__ void take_column(float *out, const float *in) {
  out[threadIdx.x] = in[threadIdx.x * 33];  // cudalint: ignore[CUD101] // expect: CUD991@48
}

// NOLINTNEXTLINE(cudalint-CUD101) // expect: CUD991@4
__global__ void take_row(float *out, const float *in) { out[threadIdx.x] = in[threadIdx.x]; }
