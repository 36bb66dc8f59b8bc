#pragma once

/// The tensor cores of Hopper (sm_90a): a warpgroup multiplies 64 x 16 by 16 x WGMMA_N 16-bit values, or 64 x 32 by
/// 32 x WGMMA_N of fp8, both operands in shared memory in rows of 128 bytes with the 128-byte swizzle, and adds to
/// WGMMA_N / 2 registers a thread. WGMMA_N: 64, 112, 128, 160, 192, 224, 240 or 256. Compiled by NVRTC; includes nothing.

namespace hopper {

/// Of a matrix whose first row is at a multiple of 1024 bytes: groups of 8 rows are 1024 bytes apart. Adding
/// b / 16 moves it by b bytes.
__device__ __forceinline__ unsigned long long matrix_descriptor(unsigned address) {
  constexpr unsigned long long swizzle_128_bytes = 1ULL << 62;
  constexpr unsigned long long stride = (1024ULL >> 4) << 32;
  constexpr unsigned long long leading = 1ULL << 16;  // not used with this swizzle
  return swizzle_128_bytes | stride | leading | ((address & 0x3FFFFU) >> 4);
}

/// Before the first product that uses registers or shared memory which ordinary instructions wrote.
__device__ __forceinline__ void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ __forceinline__ void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/// Until all but the last `pending` groups are done.
template <int pending>
__device__ __forceinline__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}

// Names of the registers in the instruction's text, by tens, and the operands that go with them.
#define WGMMA_TEN(t) \
  ", %" #t "0, %" #t "1, %" #t "2, %" #t "3, %" #t "4, %" #t "5, %" #t "6, %" #t "7, %" #t "8, %" #t "9"
#define WGMMA_0_29 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9" WGMMA_TEN(1) WGMMA_TEN(2)
#define WGMMA_0_59 WGMMA_0_29 WGMMA_TEN(3) WGMMA_TEN(4) WGMMA_TEN(5)
#define WGMMA_0_89 WGMMA_0_59 WGMMA_TEN(6) WGMMA_TEN(7) WGMMA_TEN(8)
#define WGMMA_0_109 WGMMA_0_89 WGMMA_TEN(9) WGMMA_TEN(10)
#define WGMMA_0_119 WGMMA_0_109 WGMMA_TEN(11)
#define WGMMA_4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define WGMMA_16(i) WGMMA_4(i), WGMMA_4(i + 4), WGMMA_4(i + 8), WGMMA_4(i + 12)
#define WGMMA_32(i) WGMMA_16(i), WGMMA_16(i + 16)

#if WGMMA_N == 64
#define WGMMA_SHAPE "m64n64"
#define WGMMA_D WGMMA_0_29 ", %30, %31"
#define WGMMA_INPUTS "%32, %33", "%34"
#define WGMMA_OPERANDS WGMMA_32(0)
#elif WGMMA_N == 112
#define WGMMA_SHAPE "m64n112"
#define WGMMA_D WGMMA_0_29 WGMMA_TEN(3) WGMMA_TEN(4) ", %50, %51, %52, %53, %54, %55"
#define WGMMA_INPUTS "%56, %57", "%58"
#define WGMMA_OPERANDS WGMMA_32(0), WGMMA_16(32), WGMMA_4(48), WGMMA_4(52)
#elif WGMMA_N == 128
#define WGMMA_SHAPE "m64n128"
#define WGMMA_D WGMMA_0_59 ", %60, %61, %62, %63"
#define WGMMA_INPUTS "%64, %65", "%66"
#define WGMMA_OPERANDS WGMMA_32(0), WGMMA_32(32)
#elif WGMMA_N == 160
#define WGMMA_SHAPE "m64n160"
#define WGMMA_D WGMMA_0_59 WGMMA_TEN(6) WGMMA_TEN(7)
#define WGMMA_INPUTS "%80, %81", "%82"
#define WGMMA_OPERANDS WGMMA_32(0), WGMMA_32(32), WGMMA_16(64)
#elif WGMMA_N == 192
#define WGMMA_SHAPE "m64n192"
#define WGMMA_D WGMMA_0_89 ", %90, %91, %92, %93, %94, %95"
#define WGMMA_INPUTS "%96, %97", "%98"
#define WGMMA_OPERANDS WGMMA_32(0), WGMMA_32(32), WGMMA_32(64)
#elif WGMMA_N == 224
#define WGMMA_SHAPE "m64n224"
#define WGMMA_D WGMMA_0_109 ", %110, %111"
#define WGMMA_INPUTS "%112, %113", "%114"
#define WGMMA_OPERANDS WGMMA_32(0), WGMMA_32(32), WGMMA_32(64), WGMMA_16(96)
#elif WGMMA_N == 240
#define WGMMA_SHAPE "m64n240"
#define WGMMA_D WGMMA_0_119
#define WGMMA_INPUTS "%120, %121", "%122"
#define WGMMA_OPERANDS WGMMA_32(0), WGMMA_32(32), WGMMA_32(64), WGMMA_16(96), WGMMA_4(112), WGMMA_4(116)
#elif WGMMA_N == 256
#define WGMMA_SHAPE "m64n256"
#define WGMMA_D WGMMA_0_119 ", %120, %121, %122, %123, %124, %125, %126, %127"
#define WGMMA_INPUTS "%128, %129", "%130"
#define WGMMA_OPERANDS WGMMA_32(0), WGMMA_32(32), WGMMA_32(64), WGMMA_32(96)
#else
#error "WGMMA_N is 64, 112, 128, 160, 192, 224, 240 or 256"
#endif

// k of one instruction, and what it says of operands that are not transposed.
#if FP8
#define WGMMA_K "k32"
#define WGMMA_END "; }"
#else
#define WGMMA_K "k16"
#define WGMMA_END ", 0, 0; }"
#endif

#define WGMMA_TEXT_(type, a_and_b, accumulate)                                                                 \
  "{ .reg .pred p;\n"                                                                                          \
  "setp.ne.b32 p, " accumulate                                                                                 \
  ", 0;\n"                                                                                                     \
  "wgmma.mma_async.sync.aligned." WGMMA_SHAPE WGMMA_K ".f32." type "." type " {" WGMMA_D "}, " a_and_b         \
  ", p, 1, 1" WGMMA_END
#define WGMMA_TEXT(type, inputs) WGMMA_TEXT_(type, inputs)
#define WGMMA_ASM(type)                     \
  asm volatile(WGMMA_TEXT(type, WGMMA_INPUTS) \
               : WGMMA_OPERANDS             \
               : "l"(a), "l"(b), "r"(accumulate) \
               : "memory")

/// d = a * b^T, plus d unless `accumulate` is 0.
template <bool fp16>
__device__ __forceinline__ void wgmma(float (&d)[WGMMA_N / 2], unsigned long long a, unsigned long long b,
                                      int accumulate) {
#if FP8
  WGMMA_ASM("e4m3");
#else
  if constexpr (fp16) {
    WGMMA_ASM("f16");
  } else {
    WGMMA_ASM("bf16");
  }
#endif
}

}  // namespace hopper
