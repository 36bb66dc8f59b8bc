/// A persistent kernel: as many blocks as it is given share the work. Each block keeps a multiprocessor for
/// itself by its shared memory.
/// PROLOGUE, ROUND: ns before the first item, and for each item.

__device__ unsigned long long device_ns() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
  return ns;
}

__device__ void busy(unsigned long long begin, unsigned long long length_ns) {
  while (device_ns() - begin < length_ns) {
  }
}

extern "C" __global__ void share(unsigned items) {
  const unsigned long long begin = device_ns();
  busy(begin, PROLOGUE);
  unsigned done = 0;
  for (unsigned item = blockIdx.x; item < items; item += gridDim.x) {
    ++done;
    busy(begin, PROLOGUE + done * ROUND);
  }
}
