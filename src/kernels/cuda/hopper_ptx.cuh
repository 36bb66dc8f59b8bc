#pragma once

/// The PTX that the kernels here are made of: Hopper's (sm_90a) barriers in shared memory, the bulk tensor
/// copy engine, and what goes with warps that have roles; and, from sm_80 on, copies by threads and matrices. Compiled by NVRTC; includes nothing.

/// What cuTensorMapEncodeTiled writes.
struct alignas(64) TensorMap {
  unsigned long long opaque[16];
};

namespace hopper {

__device__ __forceinline__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// --- barriers: an address is that of 8 bytes in this block's shared memory

__device__ __forceinline__ void barrier_init(unsigned barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

/// Makes initialised barriers visible to the cluster and to the copy engine.
__device__ __forceinline__ void barrier_init_fence() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ __forceinline__ void barrier_arrive(unsigned barrier) {
  asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

/// Arrives at the barrier that `block` of the cluster has at the same address. Releases nothing that this
/// thread wrote beyond its own block: at the cluster's scope that costs a fence, and what a consumer has to
/// say is that it has read.
__device__ __forceinline__ void barrier_arrive_at(unsigned barrier, unsigned block) {
  asm volatile(
      "{ .reg .b32 there;\n"
      "mapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [there]; }" ::"r"(barrier),
      "r"(block)
      : "memory");
}

/// Arrives, and lets the phase wait for `bytes` of the copy engine as well.
__device__ __forceinline__ void barrier_expect(unsigned barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}

/// Waits until the phase of this parity has ended, and sees what the block and the copy engine wrote for it.
__device__ __forceinline__ void barrier_wait(unsigned barrier, unsigned parity) {
  unsigned done = 0;
  while (done == 0) {
    asm volatile(
        "{ .reg .pred p;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(barrier), "r"(parity)
        : "memory");
  }
}

/// The same for what other blocks of the cluster wrote before they arrived.
__device__ __forceinline__ void barrier_wait_for_cluster(unsigned barrier, unsigned parity) {
  unsigned done = 0;
  while (done == 0) {
    asm volatile(
        "{ .reg .pred p;\n"
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(barrier), "r"(parity)
        : "memory");
  }
}

/// Returns true if the phase of this parity has ended.
__device__ __forceinline__ bool barrier_holds(unsigned barrier, unsigned parity) {
  unsigned done;
  asm volatile(
      "{ .reg .pred p;\n"
      "mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\n"
      "selp.u32 %0, 1, 0, p; }"
      : "=r"(done)
      : "r"(barrier), "r"(parity)
      : "memory");
  return done != 0;
}

// --- named barriers of the block, 1 to 15: so many threads arrive, and those that call `wait` go on together

template <int threads>
__device__ __forceinline__ void named_barrier_arrive(int barrier) {
  asm volatile("barrier.cta.arrive.aligned %0, %1;" ::"r"(barrier), "n"(threads) : "memory");
}

template <int threads>
__device__ __forceinline__ void named_barrier_wait(int barrier) {
  asm volatile("barrier.cta.sync.aligned %0, %1;" ::"r"(barrier), "n"(threads) : "memory");
}

// --- clusters

/// Writes a word of the shared memory of `block` of the cluster, and arrives at a barrier there.
__device__ __forceinline__ void send_word(unsigned word, unsigned value, unsigned barrier, unsigned block) {
  asm volatile(
      "{ .reg .b32 there, told;\n"
      "mapa.shared::cluster.u32 there, %0, %3;\n"
      "mapa.shared::cluster.u32 told, %2, %3;\n"
      "st.shared::cluster.u32 [there], %1;\n"
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [told]; }" ::"r"(word),
      "r"(value), "r"(barrier), "r"(block)
      : "memory");
}

/// Returns where `block` of the cluster has what this block has at an address.
__device__ __forceinline__ unsigned address_in(unsigned block, unsigned address) {
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(block));
  return there;
}

/// Begins to write 16 bytes of another block's shared memory. Its barrier there, which waits for bytes, is told of them.
__device__ __forceinline__ void send_16_bytes(unsigned there, const float* values, unsigned told) {
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(there),
               "f"(values[0]), "f"(values[1]), "f"(values[2]), "f"(values[3]), "r"(told)
               : "memory");
}

__device__ __forceinline__ float4 load_16_bytes(unsigned from) {
  float4 values;
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(values.x), "=f"(values.y), "=f"(values.z), "=f"(values.w)
               : "r"(from)
               : "memory");
  return values;
}

__device__ __forceinline__ unsigned load_shared(unsigned word) {
  unsigned value;
  asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(value) : "r"(word) : "memory");
  return value;
}

/// For a word that is written while others look at it.
__device__ __forceinline__ unsigned look_at_shared(unsigned word) {
  unsigned value;
  asm volatile("atom.relaxed.cta.shared.or.b32 %0, [%1], 0;" : "=r"(value) : "r"(word) : "memory");
  return value;
}

__device__ __forceinline__ void set_shared(unsigned word, unsigned value) {
  asm volatile(
      "{ .reg .b32 before;\n"
      "atom.relaxed.cta.shared.exch.b32 before, [%0], %1; }" ::"r"(word),
      "r"(value)
      : "memory");
}

__device__ __forceinline__ unsigned block_in_cluster() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

/// All threads of the cluster.
__device__ __forceinline__ void cluster_sync() {
  asm volatile(
      "barrier.cluster.arrive.release;\n"
      "barrier.cluster.wait.acquire;" ::
          : "memory");
}

// --- the copy engine

__device__ __forceinline__ void prefetch(const TensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

/// Element (x, y) of the matrix is the box's first; what is outside of the matrix becomes zero.
__device__ __forceinline__ void load_box(unsigned to, const TensorMap& map, int x, int y, unsigned barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
      "l"(&map), "r"(x), "r"(y), "r"(barrier)
      : "memory");
}

/// The same into all blocks of the cluster whose bit is set in `blocks`; each block's own barrier is told.
__device__ __forceinline__ void load_box_multicast(unsigned to, const TensorMap& map, int x, int y,
                                                   unsigned barrier, unsigned short blocks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
      " [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
      "l"(&map), "r"(x), "r"(y), "r"(barrier), "h"(blocks)
      : "memory");
}

/// What is outside of the matrix is left out.
__device__ __forceinline__ void store_box(const TensorMap& map, int x, int y, unsigned from) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map),
               "r"(x), "r"(y), "r"(from)
               : "memory");
}

/// The same of matrix z of several.
__device__ __forceinline__ void store_box(const TensorMap& map, int x, int y, int z, unsigned from) {
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(&map),
               "r"(x), "r"(y), "r"(z), "r"(from)
               : "memory");
}

/// Multiples of 16 bytes, from and to multiples of them.
__device__ __forceinline__ void load_linear(unsigned to, const void* from, unsigned bytes, unsigned barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
      "l"(from), "r"(bytes), "r"(barrier)
      : "memory");
}

__device__ __forceinline__ void store_linear(void* to, unsigned from, unsigned bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from), "r"(bytes)
               : "memory");
}

/// This thread's stores since the last call become a group.
__device__ __forceinline__ void commit_stores() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/// Until all but the last `pending` groups of this thread's stores have read their shared memory.
template <int pending>
__device__ __forceinline__ void wait_for_stores() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
}

/// Until all of this thread's stores have been written.
__device__ __forceinline__ void wait_for_writes() {
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

/// Before the copy engine or the tensor cores read shared memory that this thread wrote.
__device__ __forceinline__ void fence_shared_writes() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// Between seeing that others wrote global memory, and the copy engine reading it.
__device__ __forceinline__ void fence_global_reads() {
  asm volatile("fence.proxy.async.global;" ::: "memory");
}

// --- copies by threads

/// Begins to copy 16 bytes into shared memory, or zeros.
__device__ __forceinline__ void copy_16_bytes(unsigned to, const void* from, bool zeros) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(zeros ? 0 : 16)
               : "memory");
}

__device__ __forceinline__ void copy_4_bytes(unsigned to, const void* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from) : "memory");
}

/// Arrives at a barrier once this thread's copies so far are done; the barrier counts it as one of its arrivals.
__device__ __forceinline__ void arrive_after_copies(unsigned barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
}

/// This thread's copies since the last call become a group.
__device__ __forceinline__ void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }

/// Until all but the last `pending` groups of this thread's copies are done.
template <int pending>
__device__ __forceinline__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

// --- registers, clock, flags

template <int registers>
__device__ __forceinline__ void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}

template <int registers>
__device__ __forceinline__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}

__device__ __forceinline__ unsigned long long now_ns() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
  return ns;
}

/// Written by another kernel, another device or a copy.
__device__ __forceinline__ unsigned load_flag(const unsigned* flag) {
  unsigned value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}

/// Between the end of this thread's stores by the copy engine, and a release of them.
__device__ __forceinline__ void fence_global_writes() {
  asm volatile("fence.proxy.async.global;" ::: "memory");
}

/// Four 8 x 8 matrices of 16-bit values; lane l gives the address of row l % 8 of matrix l / 8.
__device__ __forceinline__ void store_matrices(unsigned row, unsigned a, unsigned b, unsigned c, unsigned d) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(row), "r"(a), "r"(b),
               "r"(c), "r"(d)
               : "memory");
}

/// The same matrices, as `store_matrices` takes them.
__device__ __forceinline__ void load_matrices(unsigned row, unsigned& a, unsigned& b, unsigned& c, unsigned& d) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "r"(row)
               : "memory");
}

}  // namespace hopper
