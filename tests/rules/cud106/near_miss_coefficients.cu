// All threads read the same coefficient in each iteration, but every sample is read by one thread only.
__global__ void polynomial(const float* x, const float* coefficients, float* y, int n, int degree)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int k = degree; k >= 0; --k)
        sum = sum * x[i] + coefficients[k];
    y[i] = sum;
}

void launch(const float* x, const float* coefficients, float* y, int n, int degree)
{
    polynomial<<<(n + 255) / 256, 256>>>(x, coefficients, y, n, degree);
}
