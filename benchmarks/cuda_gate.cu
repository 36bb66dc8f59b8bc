/// gated[i] = silu(c[i]) scale[i]: bf16 times float, float out, four elements a load. n: a multiple of 4.
/// PER_THREAD: loads a thread makes.

struct alignas(8) Four {
  unsigned short bits[4];  // of bf16
};

__device__ float silu(unsigned short bits) {
  const float x = __uint_as_float(static_cast<unsigned>(bits) << 16);
  return x / (1.0F + __expf(-x));
}

extern "C" __global__ void gate(float4* gated, const Four* c, const float4* scale, long long n) {
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
  const long long first = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
#pragma unroll
  for (int k = 0; k < PER_THREAD; ++k) {
    const long long i = first + k * threads;
    if (i < n / 4) {
      const Four x = c[i];
      const float4 s = scale[i];
      gated[i] = make_float4(silu(x.bits[0]) * s.x, silu(x.bits[1]) * s.y, silu(x.bits[2]) * s.z,
                             silu(x.bits[3]) * s.w);
    }
  }
}
