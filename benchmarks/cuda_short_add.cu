// A kernel of about 2 us, most of which is its start: c = a + b. The peer in Python compiles this file too.

extern "C" __global__ void short_add(float* c, const float* a, const float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    c[i] = a[i] + b[i];
  }
}
