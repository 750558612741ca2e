// cudalint: disable[CUD101] the layout of this file is given by the sensor
__global__ void take_column(float *out, const float *in) { out[threadIdx.x] = in[threadIdx.x * 33]; }
// cudalint: enable[CUD101]

__global__ void take_row(float *out, const float *in) {
  out[threadIdx.x] = in[threadIdx.x];  // NOLINT(bugprone-foo)
}
