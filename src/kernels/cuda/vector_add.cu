/// c[i] = a[i] + b[i], 16 bytes a load where the pointers allow. VALUE: the element's type. PER_THREAD: loads a thread.

struct alignas(16) Pack {
  VALUE values[16 / sizeof(VALUE)];
};

extern "C" __global__ void vector_add(VALUE* c, const VALUE* a, const VALUE* b, long long n, bool aligned) {
  constexpr int pack = 16 / sizeof(VALUE);
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
  const long long thread = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const long long packs = aligned ? n / pack : 0;
#pragma unroll
  for (int k = 0; k < PER_THREAD; ++k) {
    const long long i = thread + k * threads;
    if (i < packs) {
      const Pack x = reinterpret_cast<const Pack*>(a)[i];
      const Pack y = reinterpret_cast<const Pack*>(b)[i];
      Pack z;
#pragma unroll
      for (int e = 0; e < pack; ++e) {
        z.values[e] = x.values[e] + y.values[e];
      }
      reinterpret_cast<Pack*>(c)[i] = z;
    }
  }
  for (long long i = packs * pack + thread; i < n; i += threads) {
    c[i] = a[i] + b[i];
  }
}
