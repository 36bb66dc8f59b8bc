#pragma once

/// \file
/// What a rank needs to check C = A B^T where each rank has some rows of A and its own B: every rank makes
/// the data of all ranks from their seeds, and computes what it expects with a plain kernel.

#include "gpu/gemm_reference.hpp"
#include "gpu/gpu_rank.hpp"
#include "gpu/kernel_support.hpp"

#include <contextual/kernels/cuda/allgather_gemm.hpp>
#include <contextual/kernels/row_partition.hpp>

namespace contextual::test::gpu_test {

/// So small that every element of a product of k of them is below 1.
inline std::vector<std::uint16_t> small_values(const Half& half, std::size_t count, unsigned seed) {
  return half.within(0.1F, count, seed);
}

/// Counts the elements of `c` that differ from what is expected by more than `bound` times (1 + their
/// magnitude), NaN among them, and fills `c` with NaN.
inline constexpr const char* compare_source = R"(
__device__ float value(unsigned short bits, bool bf16) {
  float f;
  if (bf16) { return __uint_as_float(static_cast<unsigned>(bits) << 16); }
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(bits));
  return f;
}
extern "C" __global__ void compare(unsigned short* c, const float* expected, unsigned* wrong, long long count, float bound,
                                   bool bf16) {
  unsigned found = 0;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < count;
       i += static_cast<long long>(gridDim.x) * blockDim.x) {
    const float difference = fabsf(value(c[i], bf16) - expected[i]);
    found += difference <= bound * (1 + fabsf(expected[i])) ? 0 : 1;
    c[i] = 0xffff;
  }
  if (found > 0) { atomicAdd(wrong, found); }
}
)";

struct CompareConfig {
  int threads = 256;
};
using CompareKernel =
    CudaKernel<CompareConfig, std::uint16_t*, const float*, unsigned*, long long, float, bool>;

inline CompareKernel& compare_kernel() {
  static CompareKernel kernel(
      "compare", {{"THREADS", &CompareConfig::threads, {256}}},
      [](std::uint16_t* const&, const float* const&, unsigned* const&, const long long&, const float&,
         const bool&) { return single_problem(); },
      {.source = CudaSource::text("compare.cu", compare_source),
       .variant = [](const CompareConfig&) { return CudaVariant{.function = "compare"}; },
       .layout =
           [](const CompareConfig& config, std::uint16_t* const&, const float* const&, unsigned* const&,
              const long long&, const float&, const bool&) {
             return CudaLayout{.grid = {264}, .block = {static_cast<unsigned>(config.threads)}};
           }});
  return kernel;
}

/// Several sets of data for one shape, on the device, with what is expected of each.
class GatheredProblem {
 public:
  GatheredProblem(const Rank& rank, const kernels::cuda::AllGatherGemmShape& shape, int sets)
      : shape_(shape),
        half_{shape.type == kernels::cuda::GemmType::bf16},
        rows_(kernels::RowPartition(shape.m, rank.count).shard(rank.number)),
        b_(small_values(half_, size(shape.n, shape.k), 1000U + static_cast<unsigned>(rank.number))),
        c_(size(shape.m, shape.n)),
        wrong_(std::vector<unsigned>{0}) {
    for (int set = 0; set < sets; ++set) {
      const std::vector<std::uint16_t> a =
          small_values(half_, size(shape.m, shape.k), static_cast<unsigned>(set));
      const DeviceArray<std::uint16_t> whole(a);
      Data data;
      const auto begin = a.begin() + static_cast<std::ptrdiff_t>(size(rows_.begin, shape.k));
      const auto end = a.begin() + static_cast<std::ptrdiff_t>(size(rows_.end, shape.k));
      data.rows = std::make_unique<DeviceArray<std::uint16_t>>(std::vector<std::uint16_t>(begin, end));
      data.expected = std::make_unique<DeviceArray<float>>(size(shape.m, shape.n));
      reference_gemm()(nullptr, data.expected->get(), whole.get(), b_.get(), shape.m, shape.n, shape.k,
                       half_.bf16);
      cuda_check(cudaDeviceSynchronize());
      sets_.push_back(std::move(data));
    }
    compare_kernel().load();
  }

  const kernels::Rows& rows() const { return rows_; }
  int sets() const { return static_cast<int>(sets_.size()); }
  const std::uint16_t* a_rows(int set) const { return at(set).rows->get(); }
  const std::uint16_t* b() const { return b_.get(); }
  std::uint16_t* c() const { return c_.get(); }

  /// Compares C with what is expected of a set, in stream order, and takes C away.
  void check_later(cudaStream_t stream, int set) {
    compare_kernel().launch_config(0, stream, c_.get(), at(set).expected->get(), wrong_.get(),
                                   static_cast<long long>(size(shape_.m, shape_.n)), bound, half_.bf16);
  }
  /// Returns how many elements were wrong since the last call. Waits for the device.
  unsigned wrong() {
    const unsigned count = wrong_.host().at(0);
    cuda_check(cudaMemset(wrong_.get(), 0, sizeof(unsigned)));
    cuda_check(cudaDeviceSynchronize());
    return count;
  }
  /// Of C. Waits for the device.
  std::vector<std::uint16_t> bits() const { return c_.host(); }
  /// Elements of C that are NaN.
  std::size_t nan_count() const {
    std::size_t count = 0;
    for (const std::uint16_t bits : c_.host()) {
      count += half_.value(bits) == half_.value(bits) ? 0 : 1;
    }
    return count;
  }

 private:
  struct Data {
    std::unique_ptr<DeviceArray<std::uint16_t>> rows;
    std::unique_ptr<DeviceArray<float>> expected;
  };

  static std::size_t size(int rows, int columns) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  }
  const Data& at(int set) const { return sets_[static_cast<std::size_t>(set)]; }

  // Of the distributed test of Triton-distributed's all-gather GEMM, in fp16. bf16 rounds eight times as
  // coarsely.
  static constexpr float fp16_bound = 1e-3F;

  kernels::cuda::AllGatherGemmShape shape_;
  Half half_;
  float bound = half_.bf16 ? 8 * fp16_bound : fp16_bound;
  kernels::Rows rows_;
  DeviceArray<std::uint16_t> b_;
  DeviceArray<std::uint16_t> c_;
  DeviceArray<unsigned> wrong_;
  std::vector<Data> sets_;
};

}  // namespace contextual::test::gpu_test
