/// RMSNorm with rotary position embedding; rms_norm_rope.hpp has the formulas. THREADS_PER_ROW, ROWS_PER_BLOCK, VECTOR:
/// the config.
///
/// A row is two halves, since the rotation pairs element i of the one with element i of the other. A slot is `width`
/// elements of the lower half and their partners of the upper one; the threads of a row take its slots in turn.

struct Bf16 {
  static __device__ float load(unsigned short bits) { return __uint_as_float(static_cast<unsigned>(bits) << 16); }
  static __device__ unsigned short store(float value) {
    unsigned short bits;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
  }
};

struct Fp16 {
  static __device__ float load(unsigned short bits) {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
  }
  static __device__ unsigned short store(float value) {
    unsigned short bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
  }
};

template <int width>
struct alignas(2 * width) Pack {
  unsigned short bits[width];
};

template <int width>
struct Slot {
  Pack<width> low;
  Pack<width> high;
};

/// What a thread needs of its row. Rows beyond the last have no elements.
struct Row {
  const unsigned short* x;
  const unsigned short* weight;
  unsigned short* y;
  int head_dim;
  int half;
  float eps;
  bool rotated;
  float position;
  float step;  ///< log2(theta) / half
};

template <int width>
__device__ Slot<width> load_slot(const unsigned short* row, int half, int slot) {
  return {*reinterpret_cast<const Pack<width>*>(row + slot * width),
          *reinterpret_cast<const Pack<width>*>(row + half + slot * width)};
}

template <typename Float, int width>
__device__ float squares(const Slot<width>& slot) {
  float sum = 0.0f;
#pragma unroll
  for (int e = 0; e < width; ++e) {
    const float low = Float::load(slot.low.bits[e]);
    const float high = Float::load(slot.high.bits[e]);
    sum += low * low + high * high;
  }
  return sum;
}

/// The sum over a row's threads, for all of them. Every thread of the block calls it.
__device__ float sum_of_row(float value) {
  constexpr int in_warp = THREADS_PER_ROW < 32 ? THREADS_PER_ROW : 32;
#pragma unroll
  for (int offset = in_warp / 2; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  }
  if constexpr (THREADS_PER_ROW > 32) {
    constexpr int warps_per_row = THREADS_PER_ROW / 32;
    __shared__ float partial[THREADS_PER_ROW * ROWS_PER_BLOCK / 32];
    if (threadIdx.x % 32 == 0) {
      partial[threadIdx.x / 32] = value;
    }
    __syncthreads();
    value = 0.0f;
#pragma unroll
    for (int warp = 0; warp < warps_per_row; ++warp) {
      value += partial[threadIdx.x / THREADS_PER_ROW * warps_per_row + warp];
    }
  }
  return value;
}

template <typename Float, int width>
__device__ void finish_slot(const Row& row, Slot<width> values, int slot, float scale) {
  constexpr float half_turns_per_radian = 0.318309886f;
  const Slot<width> weight = load_slot<width>(row.weight, row.half, slot);
#pragma unroll
  for (int e = 0; e < width; ++e) {
    const float low = Float::load(values.low.bits[e]) * scale * Float::load(weight.low.bits[e]);
    const float high = Float::load(values.high.bits[e]) * scale * Float::load(weight.high.bits[e]);
    float cosine = 1.0f;
    float sine = 0.0f;
    if (row.rotated) {
      // In half turns, whole turns taken off before anything is rounded: exact for large positions, and without the
      // slow path that sincosf has for them.
      const float frequency = exp2f(static_cast<float>(slot * width + e) * -row.step) * half_turns_per_radian;
      const float turns = rintf(row.position * frequency * 0.5f);
      sincospif(fmaf(row.position, frequency, -2.0f * turns), &sine, &cosine);
    }
    values.low.bits[e] = Float::store(low * cosine - high * sine);
    values.high.bits[e] = Float::store(high * cosine + low * sine);
  }
  *reinterpret_cast<Pack<width>*>(row.y + slot * width) = values.low;
  *reinterpret_cast<Pack<width>*>(row.y + row.half + slot * width) = values.high;
}

template <typename Float, int width>
__device__ void norm_row(const Row& row) {
  // In registers from the sum to the end; further ones are read again. More would compile longer for few rows.
  constexpr int kept_slots = width == 1 ? 0 : 2;
  const int lane = threadIdx.x % THREADS_PER_ROW;
  const int slots = row.half / width;
  Slot<width> kept[kept_slots + 1];  // not empty
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < kept_slots; ++k) {
    if (const int slot = lane + k * THREADS_PER_ROW; slot < slots) {
      kept[k] = load_slot<width>(row.x, row.half, slot);
    }
  }
#pragma unroll
  for (int k = 0; k < kept_slots; ++k) {
    if (lane + k * THREADS_PER_ROW < slots) {
      sum += squares<Float, width>(kept[k]);
    }
  }
  for (int slot = lane + kept_slots * THREADS_PER_ROW; slot < slots; slot += THREADS_PER_ROW) {
    sum += squares<Float, width>(load_slot<width>(row.x, row.half, slot));
  }
  const bool has_last = lane == 0 && row.head_dim % 2 != 0;
  const float last = has_last ? Float::load(row.x[row.head_dim - 1]) : 0.0f;
  sum = sum_of_row(sum + last * last);
  const float scale = rsqrtf(sum / static_cast<float>(row.head_dim) + row.eps);
#pragma unroll
  for (int k = 0; k < kept_slots; ++k) {
    if (const int slot = lane + k * THREADS_PER_ROW; slot < slots) {
      finish_slot<Float, width>(row, kept[k], slot, scale);
    }
  }
  for (int slot = lane + kept_slots * THREADS_PER_ROW; slot < slots; slot += THREADS_PER_ROW) {
    finish_slot<Float, width>(row, load_slot<width>(row.x, row.half, slot), slot, scale);
  }
  if (has_last) {
    row.y[row.head_dim - 1] = Float::store(last * scale * Float::load(row.weight[row.head_dim - 1]));
  }
}

template <typename Float>
__device__ void norm_row_as_wide_as_allowed(const Row& row, int widest) {
  if (widest >= VECTOR) {
    norm_row<Float, VECTOR>(row);
  } else {
    norm_row<Float, 1>(row);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS_PER_ROW * ROWS_PER_BLOCK)
    rms_norm_rope(unsigned short* y, const unsigned short* x, const unsigned short* weight, const int* positions,
                  int rows, int heads, int head_dim, long long x_token_stride, long long y_token_stride,
                  float eps, float step, bool is_bf16, int widest) {
  const unsigned index = blockIdx.x * ROWS_PER_BLOCK + threadIdx.x / THREADS_PER_ROW;
  const bool exists = index < static_cast<unsigned>(rows);
  const long long token = exists ? index / static_cast<unsigned>(heads) : 0;
  const long long head = exists ? index % static_cast<unsigned>(heads) : 0;
  // All threads go on to the sum, which is a barrier.
  const Row row{x + token * x_token_stride + head * head_dim,
                weight,
                y + token * y_token_stride + head * head_dim,
                exists ? head_dim : 0,
                exists ? head_dim / 2 : 0,
                eps,
                positions != nullptr,
                positions != nullptr ? static_cast<float>(positions[token]) : 0.0f,
                step};
  if (is_bf16) {
    norm_row_as_wide_as_allowed<Bf16>(row, widest);
  } else {
    norm_row_as_wide_as_allowed<Fp16>(row, widest);
  }
}
