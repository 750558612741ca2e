// A float4 is a record too, but it is aligned to its size: the whole record moves as one 16-byte vector. And a
// record that all lanes share is a broadcast.
struct Camera {
    float x, y, z, fx, fy, cx, cy, skew;
};

__global__ void project(const float4* points, const Camera* cameras, float2* image, int n, int camera)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 p = points[i];
    float f = cameras[camera].fx;
    image[i] = make_float2(f * p.x / p.z, f * p.y / p.z);
}

void launch(const float4* points, const Camera* cameras, float2* image, int n)
{
    project<<<(n + 255) / 256, 256>>>(points, cameras, image, n, 0);
}
