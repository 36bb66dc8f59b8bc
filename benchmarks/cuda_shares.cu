/// A persistent kernel: as many blocks as it is given share the work. Each block keeps a multiprocessor for
/// itself by its shared memory.
/// PROLOGUE, ROUND: ns before the first item, and for each item. HANDED_OUT: 1 if blocks take item after item
/// from a counter, so that one that begins late may find none, and ends; else each has its share.

__device__ unsigned long long device_ns() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
  return ns;
}

__device__ void busy(unsigned long long begin, unsigned long long length_ns) {
  while (device_ns() - begin < length_ns) {
  }
}

#if HANDED_OUT

__device__ unsigned taken_items;
__device__ unsigned ended_blocks;

/// One item for the warp.
__device__ unsigned take_item() {
  const unsigned item = threadIdx.x == 0 ? atomicAdd(&taken_items, 1) : 0;
  return __shfl_sync(0xFFFFFFFFU, item, 0);
}

/// The last block leaves the counters as it found them.
__device__ void end_block() {
  if (threadIdx.x == 0 && atomicAdd(&ended_blocks, 1) == gridDim.x - 1) {
    atomicExch(&taken_items, 0);
    atomicExch(&ended_blocks, 0);
  }
}

extern "C" __global__ void share(unsigned items) {
  const unsigned long long begin = device_ns();
  unsigned done = 0;
  while (take_item() < items) {
    ++done;
    busy(begin, PROLOGUE + done * ROUND);
  }
  end_block();
}

#else

extern "C" __global__ void share(unsigned items) {
  const unsigned long long begin = device_ns();
  busy(begin, PROLOGUE);
  unsigned done = 0;
  for (unsigned item = blockIdx.x; item < items; item += gridDim.x) {
    ++done;
    busy(begin, PROLOGUE + done * ROUND);
  }
}

#endif
