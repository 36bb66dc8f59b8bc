#include "common/summed_parts.hpp"

#include <contextual/cuda.hpp>

#include <algorithm>

namespace examples {
namespace {

constexpr float float_bound = 1e-3F;

constexpr const char* source = R"(
__device__ float value(unsigned short bf16) { return __uint_as_float(static_cast<unsigned>(bf16) << 16); }

// One thread an element, one product after the other. Splits of k end at multiples of 64, as those of the GEMMs do.
extern "C" __global__ void add_part(float* sum, float* magnitude, const unsigned short* a, const unsigned short* b,
                                    int rows, int n, int k, int splits) {
  constexpr int block_k = 64;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= rows || column >= n) { return; }
  const long long at = static_cast<long long>(row) * n + column;
  const int k_blocks = (k + block_k - 1) / block_k;
  int i = 0;
  for (int split = 1; split <= splits; ++split) {
    float part = 0;
    for (const int end = min(k, split * k_blocks / splits * block_k); i < end; ++i) {
      part += value(a[static_cast<long long>(row) * k + i]) * value(b[static_cast<long long>(column) * k + i]);
    }
    sum[at] += part;
    magnitude[at] += fabsf(part);
  }
}

// `worst` holds the bits of a float that is not negative: such floats are ordered as their bits are.
extern "C" __global__ void compare_sum(unsigned* worst, const unsigned short* c, const float* sum, const float* magnitude,
                                       long long count, float float_bound, float part_share, float result_share) {
  float largest = 0;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < count;
       i += static_cast<long long>(gridDim.x) * blockDim.x) {
    const float bound = float_bound + part_share * magnitude[i] + result_share * fabsf(sum[i]);
    const float error = fabsf(value(c[i]) - sum[i]) / bound;
    largest = error >= 0 ? fmaxf(largest, error) : __uint_as_float(0x7f800000);  // infinity for NaN, and it stays
  }
  atomicMax(worst, __float_as_uint(largest));
}
)";

struct AddPartConfig {
  int side = 16;  ///< of a block of threads
};
using AddPart =
    contextual::CudaKernel<AddPartConfig, float*, float*, const void*, const void*, int, int, int, int>;

AddPart& add_part() {
  static auto* const kernel = [] {
    AddPart::Definition definition;
    definition.source = contextual::CudaSource::text("summed_parts.cu", source);
    definition.variant = [](const AddPartConfig&) { return contextual::CudaVariant{.function = "add_part"}; };
    definition.layout = [](const AddPartConfig& config, float* const&, float* const&, const void* const&,
                           const void* const&, const int& rows, const int& n, const int&, const int&) {
      const auto side = static_cast<unsigned>(config.side);
      return contextual::CudaLayout{.grid = {(static_cast<unsigned>(n) + side - 1) / side,
                                             (static_cast<unsigned>(rows) + side - 1) / side},
                                    .block = {side, side}};
    };
    return new AddPart(
        "add_part", {{"SIDE", &AddPartConfig::side, {16}}},
        [](float* const&, float* const&, const void* const&, const void* const&, const int& rows,
           const int& n, const int& k, const int&) { return contextual::make_key(rows, n, k); },
        definition);
  }();
  return *kernel;
}

struct CompareSumConfig {
  int threads = 256;
};
using CompareSum = contextual::CudaKernel<CompareSumConfig, unsigned*, const void*, const float*,
                                          const float*, long long, float, float, float>;

CompareSum& compare_sum() {
  static auto* const kernel = [] {
    constexpr unsigned blocks = 1024;  // each takes many elements
    CompareSum::Definition definition;
    definition.source = contextual::CudaSource::text("summed_parts.cu", source);
    definition.variant = [](const CompareSumConfig&) {
      return contextual::CudaVariant{.function = "compare_sum"};
    };
    definition.layout = [](const CompareSumConfig& config, unsigned* const&, const void* const&,
                           const float* const&, const float* const&, const long long&, const float&,
                           const float&, const float&) {
      return contextual::CudaLayout{.grid = {blocks}, .block = {static_cast<unsigned>(config.threads)}};
    };
    return new CompareSum(
        "compare_sum", {{"THREADS", &CompareSumConfig::threads, {256}}},
        [](unsigned* const&, const void* const&, const float* const&, const float* const&,
           const long long& count, const float&, const float&,
           const float&) { return contextual::make_key(count); },
        definition);
  }();
  return *kernel;
}

std::size_t float_bytes(int rows, int n) {
  return elements_of(std::max(rows, 1), n) * sizeof(float);
}

}  // namespace

SummedParts::SummedParts(int rows, int n)
    : rows_(rows),
      n_(n),
      sum_(float_bytes(rows, n)),
      magnitude_(float_bytes(rows, n)),
      worst_(sizeof(unsigned)) {
  check_cuda(cudaMemset(sum_.get(), 0, float_bytes(rows, n)), "cudaMemset");
  check_cuda(cudaMemset(magnitude_.get(), 0, float_bytes(rows, n)), "cudaMemset");
  compare_sum().load();
}

std::size_t SummedParts::elements() const {
  return elements_of(rows_, n_);
}

void SummedParts::add(const void* a_rows, const void* b, int k, int splits) {
  ++parts_;
  if (elements() == 0) {
    return;
  }
  add_part()(nullptr, static_cast<float*>(sum_.get()), static_cast<float*>(magnitude_.get()), a_rows, b,
             rows_, n_, k, splits);
  check_cuda(cudaDeviceSynchronize(), "the reference");
}

double SummedParts::error(const DeviceStream& stream, const void* c) {
  if (elements() == 0) {
    stream.wait();
    return 0;
  }
  // No sum of some of the parts is larger than the sum of magnitudes. Between the parts and the result there
  // are two fewer such sums than parts.
  constexpr float half_ulp = 0x1p-8F;
  const float part_share = half_ulp * static_cast<float>(std::max(parts_ - 1, 1));
  check_cuda(cudaMemsetAsync(worst_.get(), 0, sizeof(unsigned), stream.get()), "cudaMemsetAsync");
  compare_sum()(stream.get(), static_cast<unsigned*>(worst_.get()), c, static_cast<const float*>(sum_.get()),
                static_cast<const float*>(magnitude_.get()), static_cast<long long>(elements()), float_bound,
                part_share, half_ulp);
  float worst = 0;  // the kernel wrote its bits
  check_cuda(cudaMemcpyAsync(&worst, worst_.get(), sizeof worst, cudaMemcpyDeviceToHost, stream.get()),
             "a download");
  stream.wait();
  return static_cast<double>(worst);
}

}  // namespace examples
