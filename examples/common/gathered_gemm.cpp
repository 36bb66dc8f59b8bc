#include "common/gathered_gemm.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace examples {
namespace {

namespace cuda = contextual::kernels::cuda;

constexpr int sets = 2;
constexpr std::size_t sample_count = 512;

std::size_t product(int a, int b) {
  return static_cast<std::size_t>(a) * static_cast<std::size_t>(b);
}

}  // namespace

RandomMatrix GatheredGemm::input(int set) const {
  return {.number = static_cast<std::uint64_t>(set), .type = shape_.type};
}

RandomMatrix GatheredGemm::weights() const {
  return {.number = 1000U + static_cast<std::uint64_t>(workspace_->rank()), .type = shape_.type};
}

GatheredGemm::GatheredGemm(std::shared_ptr<contextual::Communicator> communicator,
                           const cuda::AllGatherGemmShape& shape)
    : shape_(shape),
      workspace_(std::make_shared<cuda::PeerWorkspace>(std::move(communicator),
                                                       cuda::AllGatherGemm::workspace_bytes(shape))),
      layer_(workspace_, shape),
      weights_on_device_(bytes_of(shape.n, shape.k)),
      output_(bytes_of(shape.m, shape.n)) {
  const contextual::kernels::Rows own = layer_.own_rows();
  weights().upload(weights_on_device_.get(), 0, product(shape.n, shape.k));
  const std::size_t elements = product(shape.m, shape.n);
  for (std::size_t sample = 0; sample < sample_count; ++sample) {
    samples_.push_back(sample * 7919 * 104729 % elements);  // primes, so they are spread
  }
  for (int set = 0; set < sets; ++set) {
    rows_.push_back(std::make_unique<DeviceBytes>(bytes_of(own.count(), shape.k)));
    input(set).upload(rows_.back()->get(), product(own.begin, shape.k), product(own.count(), shape.k));
    expected_.push_back(expected(set));
  }
}

void GatheredGemm::prepare() {
  set_ = (set_ + 1) % sets;
  stream_.poison(output_.get(), bytes_of(shape_.m, shape_.n));
  wait();
}

void GatheredGemm::run() {
  layer_(stream_.get(), rows_[static_cast<std::size_t>(set_)]->get(), weights_on_device_.get(),
         output_.get());
}

std::vector<double> GatheredGemm::expected(int set) const {
  const auto n = static_cast<std::size_t>(shape_.n);
  const auto k = static_cast<std::size_t>(shape_.k);
  std::vector<double> sums;
  for (const std::size_t sample : samples_) {
    double sum = 0;
    for (std::size_t i = 0; i < k; ++i) {
      sum += input(set).value(sample / n * k + i) * weights().value(sample % n * k + i);
    }
    sums.push_back(sum);
  }
  return sums;
}

/// The bound is what the rounding to the type and float sums allow.
ErrorMeasure GatheredGemm::measure() const {
  return {.name = "relative error", .allowed = 1e-2};
}

double GatheredGemm::error() {
  wait();
  std::vector<std::uint16_t> output(product(shape_.m, shape_.n));
  check_cuda(
      cudaMemcpy(output.data(), output_.get(), output.size() * sizeof(std::uint16_t), cudaMemcpyDeviceToHost),
      "a download");
  const std::vector<double>& wanted = expected_[static_cast<std::size_t>(set_)];
  double largest = 0;
  double worst = 0;
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    const double difference = std::abs(value_of(output[samples_[i]], shape_.type) - wanted[i]);
    worst = std::isnan(difference) ? std::numeric_limits<double>::infinity() : std::max(worst, difference);
    largest = std::max(largest, std::abs(wanted[i]));
  }
  return worst / largest;
}

}  // namespace examples
