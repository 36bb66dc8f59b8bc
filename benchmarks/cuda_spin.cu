/// Kernels that take a given time and write down when they ran, by the device's own clock.
/// VARIANT: a number that changes nothing but makes another variant of it.

struct Stamp {
  unsigned long long begin_ns;
  unsigned long long end_ns;
};

__device__ unsigned long long device_ns() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
  return ns;
}

/// Each block waits for this long and writes one stamp.
extern "C" __global__ void spin(Stamp* stamps, unsigned long long spin_ns, unsigned blocks) {
  if (threadIdx.x == 0 && blockIdx.x < blocks) {
    const unsigned long long begin = device_ns();
    while (device_ns() - begin < spin_ns) {
    }
    stamps[blockIdx.x] = Stamp{begin, device_ns()};
  }
}

/// stamps[0] becomes {smallest, largest} step of the clock that one thread sees in some thousand steps of it.
extern "C" __global__ void clock_steps(Stamp* stamps, unsigned long long reads, unsigned blocks) {
  unsigned long long smallest = ~0ULL;
  unsigned long long largest = 0;
  unsigned long long last = device_ns();
  for (unsigned long long i = 0; i < reads; ++i) {
    const unsigned long long now = device_ns();
    if (now != last) {
      smallest = now - last < smallest ? now - last : smallest;
      largest = now - last > largest ? now - last : largest;
      last = now;
    }
  }
  if (threadIdx.x == 0 && blockIdx.x + 1 == blocks) {
    stamps[0] = Stamp{smallest, largest};
  }
}
