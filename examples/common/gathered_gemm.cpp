#include "common/gathered_gemm.hpp"

#include <contextual/kernels/cuda/half_bits.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace examples {
namespace {

namespace cuda = contextual::kernels::cuda;

constexpr int sets = 2;
constexpr int sample_count = 512;

/// In (-0.5, 0.5): every rank can compute every element of every matrix, from the matrix and the index.
float element(std::uint64_t matrix, std::uint64_t index) {
  std::uint64_t bits = (matrix + 1) * 0x9e3779b97f4a7c15U + index;  // splitmix64
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  bits ^= bits >> 31U;
  return static_cast<float>(bits >> 40U) * 0x1p-24F - 0.5F;
}

std::uint64_t input_matrix(int set) {
  return static_cast<std::uint64_t>(set);
}
std::uint64_t weight_matrix(int rank) {
  return 1000U + static_cast<std::uint64_t>(rank);
}

std::uint16_t rounded(float value, cuda::GemmType type) {
  return type == cuda::GemmType::bf16 ? cuda::to_bf16(value) : cuda::to_fp16(value);
}
float unrounded(std::uint16_t bits, cuda::GemmType type) {
  return type == cuda::GemmType::bf16 ? cuda::from_bf16(bits) : cuda::from_fp16(bits);
}

std::size_t bytes_of(int rows, int columns) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * sizeof(std::uint16_t);
}

/// Elements [first, first + count) of a matrix.
void upload(const DeviceBytes& to, std::uint64_t matrix, std::size_t first, std::size_t count,
            cuda::GemmType type) {
  std::vector<std::uint16_t> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = rounded(element(matrix, first + i), type);
  }
  check_cuda(cudaMemcpy(to.get(), values.data(), count * sizeof(std::uint16_t), cudaMemcpyHostToDevice),
             "an upload");
  check_cuda(cudaDeviceSynchronize(), "an upload");
}

}  // namespace

void check_cuda(cudaError_t code, const char* what) {
  if (code != cudaSuccess) {
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(code));
  }
}

DeviceBytes::DeviceBytes(std::size_t bytes) {
  check_cuda(cudaMalloc(&memory_, bytes), "cudaMalloc");
}

GatheredGemm::GatheredGemm(std::shared_ptr<contextual::Communicator> communicator,
                           const cuda::AllGatherGemmShape& shape)
    : shape_(shape),
      workspace_(std::make_shared<cuda::PeerWorkspace>(std::move(communicator),
                                                       cuda::AllGatherGemm::workspace_bytes(shape))),
      layer_(workspace_, shape),
      weights_(bytes_of(shape.n, shape.k)),
      output_(bytes_of(shape.m, shape.n)) {
  const contextual::kernels::Rows own = layer_.own_rows();
  const auto k = static_cast<std::size_t>(shape.k);
  upload(weights_, weight_matrix(workspace_->rank()), 0, static_cast<std::size_t>(shape.n) * k, shape.type);
  const std::size_t elements = static_cast<std::size_t>(shape.m) * static_cast<std::size_t>(shape.n);
  for (std::size_t sample = 0; sample < sample_count; ++sample) {
    samples_.push_back(elements / sample_count * sample +
                       sample * 7919 % std::max<std::size_t>(elements / sample_count, 1));
  }
  for (int set = 0; set < sets; ++set) {
    rows_.push_back(std::make_unique<DeviceBytes>(bytes_of(std::max(own.count(), 1), shape.k)));
    upload(*rows_.back(), input_matrix(set), static_cast<std::size_t>(own.begin) * k,
           static_cast<std::size_t>(own.count()) * k, shape.type);
    expected_.push_back(expected(set));
  }
  check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
}

GatheredGemm::~GatheredGemm() {
  cudaStreamSynchronize(stream_);
  cudaStreamDestroy(stream_);
}

void GatheredGemm::prepare() {
  set_ = (set_ + 1) % sets;
  check_cuda(cudaMemsetAsync(output_.get(), 0xff, bytes_of(shape_.m, shape_.n), stream_), "cudaMemsetAsync");
  wait();
}

void GatheredGemm::run() {
  layer_(stream_, rows_[static_cast<std::size_t>(set_)]->get(), weights_.get(), output_.get());
}

void GatheredGemm::wait() const {
  check_cuda(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
}

std::vector<float> GatheredGemm::expected(int set) const {
  std::vector<float> sums;
  const auto n = static_cast<std::size_t>(shape_.n);
  const auto k = static_cast<std::size_t>(shape_.k);
  const auto value = [&](std::uint64_t matrix, std::size_t index) {
    return static_cast<double>(unrounded(rounded(element(matrix, index), shape_.type), shape_.type));
  };
  for (const std::size_t sample : samples_) {
    double sum = 0;
    for (std::size_t i = 0; i < k; ++i) {
      sum += value(input_matrix(set), sample / n * k + i) *
             value(weight_matrix(workspace_->rank()), sample % n * k + i);
    }
    sums.push_back(static_cast<float>(sum));
  }
  return sums;
}

double GatheredGemm::error() const {
  wait();
  std::vector<std::uint16_t> output(static_cast<std::size_t>(shape_.m) * static_cast<std::size_t>(shape_.n));
  check_cuda(
      cudaMemcpy(output.data(), output_.get(), output.size() * sizeof(std::uint16_t), cudaMemcpyDeviceToHost),
      "a download");
  const std::vector<float>& wanted = expected_[static_cast<std::size_t>(set_)];
  double largest = 0;
  double worst = 0;
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    const double difference = std::abs(static_cast<double>(unrounded(output[samples_[i]], shape_.type)) -
                                       static_cast<double>(wanted[i]));
    if (!(difference < std::numeric_limits<double>::infinity())) {
      return std::numeric_limits<double>::infinity();
    }
    worst = std::max(worst, difference);
    largest = std::max(largest, std::abs(static_cast<double>(wanted[i])));
  }
  return worst / largest;
}

}  // namespace examples
