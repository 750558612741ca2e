// A vector in device or managed memory: it knows which, and the host fills it only where it can.
#include <cuda_runtime.h>

enum class Memory { device, managed };

__global__ void set(int* data, int value, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) data[i] = value;
}

template <typename T>
class Vector {
public:
    explicit Vector(int size, Memory memory = Memory::device) { resize(size, memory); }
    ~Vector() { cudaFree(data_); }

    void resize(int size, Memory memory = Memory::device)
    {
        size_ = size;
        memory_ = memory;
        if (memory_ == Memory::device)
            cudaMalloc(&data_, size * sizeof(T));
        else
            cudaMallocManaged(&data_, size * sizeof(T));
    }

    void fill(T value)
    {
        if (memory_ == Memory::device) {
            set<<<(size_ + 127) / 128, 128>>>(data_, value, size_);
        } else {
            for (int i = 0; i < size_; i++) data_[i] = value;
        }
    }

private:
    T* data_ = nullptr;
    int size_ = 0;
    Memory memory_ = Memory::device;
};

void steps(int n, int count, double (*power)())
{
    Vector<int> v(n);
    for (int i = 0; i < count; i++) {
        if (power() < 0) v.fill(0);
    }
}
