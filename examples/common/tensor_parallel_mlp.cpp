#include "common/tensor_parallel_mlp.hpp"

#include "common/gated_activation_cuda.hpp"

#include <contextual/kernels/cuda/half_bits.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace examples {
namespace {

namespace cuda = contextual::kernels::cuda;
using contextual::kernels::RowPartition;

constexpr int sampled_rows = 2;
constexpr int sampled_columns = 16;

// Weights are scaled so that what flows through the layer keeps its size.
const RandomMatrix input_matrix{.number = 1, .scale = 2};
RandomMatrix gate_up_matrix(int rank) {
  return {.number = 100U + static_cast<std::uint64_t>(rank), .scale = 0.1F};
}
RandomMatrix down_matrix(int rank) {
  return {.number = 200U + static_cast<std::uint64_t>(rank), .scale = 0.1F};
}

std::size_t workspace_bytes(const cuda::AllGatherGemmShape& up, const cuda::GemmReduceScatterShape& down,
                            int ranks) {
  return std::max(cuda::AllGatherGemm::workspace_bytes(up),
                  cuda::GemmReduceScatter::workspace_bytes(down, ranks));
}

double dot(const RandomMatrix& a, std::size_t a_first, const RandomMatrix& b, std::size_t b_first,
           int count) {
  double sum = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    sum += a.value(a_first + i) * b.value(b_first + i);
  }
  return sum;
}

}  // namespace

TensorParallelMlp::TensorParallelMlp(const std::shared_ptr<contextual::Communicator>& communicator,
                                     const MlpShape& shape)
    : shape_(shape),
      ranks_(communicator->size()),
      up_shape_{.m = shape.tokens, .n = 2 * shape.inner / ranks_, .k = shape.hidden},
      down_shape_{.m = shape.tokens, .n = shape.hidden, .k = shape.inner / ranks_},
      workspace_(std::make_shared<cuda::PeerWorkspace>(communicator,
                                                       workspace_bytes(up_shape_, down_shape_, ranks_))),
      gate_up_(workspace_, up_shape_),
      down_(workspace_, down_shape_),
      rows_(gate_up_.own_rows()),
      input_(bytes_of(rows_.count(), shape.hidden)),
      gate_up_weights_(bytes_of(up_shape_.n, up_shape_.k)),
      down_weights_(bytes_of(down_shape_.n, down_shape_.k)),
      gate_up_output_(bytes_of(up_shape_.m, up_shape_.n)),
      activation_(bytes_of(down_shape_.m, down_shape_.k)),
      output_(bytes_of(rows_.count(), shape.hidden)) {
  input_matrix.upload(input_.get(), elements_of(rows_.begin, shape.hidden),
                      elements_of(rows_.count(), shape.hidden));
  gate_up_matrix(workspace_->rank()).upload(gate_up_weights_.get(), 0, elements_of(up_shape_.n, up_shape_.k));
  down_matrix(workspace_->rank()).upload(down_weights_.get(), 0, elements_of(down_shape_.n, down_shape_.k));
  for (int i = 0; i < std::min(sampled_rows, rows_.count()); ++i) {
    add_samples(i * (rows_.count() - 1));
  }
}

/// `row`: of the own ones.
void TensorParallelMlp::add_samples(int row) {
  const std::size_t x = elements_of(rows_.begin + row, shape_.hidden);
  const int part = shape_.inner / ranks_;
  std::vector<Sample> samples;
  for (int i = 0; i < sampled_columns; ++i) {
    samples.push_back({row, i * (shape_.hidden - 1) / (sampled_columns - 1), 0});
  }
  for (int rank = 0; rank < ranks_; ++rank) {
    for (int column = 0; column < part; ++column) {
      const RandomMatrix weights = gate_up_matrix(rank);
      const double gate = dot(input_matrix, x, weights, elements_of(column, shape_.hidden), shape_.hidden);
      const double up =
          dot(input_matrix, x, weights, elements_of(part + column, shape_.hidden), shape_.hidden);
      const double activated = gate / (1 + std::exp(-gate)) * up;
      for (Sample& sample : samples) {
        sample.expected += activated * down_matrix(rank).value(elements_of(sample.column, part) +
                                                               static_cast<std::size_t>(column));
      }
    }
  }
  samples_.insert(samples_.end(), samples.begin(), samples.end());
}

void TensorParallelMlp::poison() {
  stream_.poison(output_.get(), bytes_of(rows_.count(), shape_.hidden));
  wait();
}

void TensorParallelMlp::run() {
  gate_up_(stream_.get(), {.a_rows = input_.get()},
           {.b = gate_up_weights_.get(), .c = gate_up_output_.get()});
  gated_activation()(stream_.get(), activation_.get(), gate_up_output_.get(), shape_.tokens,
                     shape_.inner / ranks_);
  down_(stream_.get(), {.a = activation_.get(), .b = down_weights_.get(), .c_rows = output_.get()});
}

double TensorParallelMlp::error() const {
  wait();
  std::vector<std::uint16_t> output(elements_of(std::max(rows_.count(), 1), shape_.hidden));
  check_cuda(
      cudaMemcpy(output.data(), output_.get(), output.size() * sizeof(std::uint16_t), cudaMemcpyDeviceToHost),
      "a download");
  double largest = 0;
  double worst = 0;
  for (const Sample& sample : samples_) {
    const std::size_t at = elements_of(sample.row, shape_.hidden) + static_cast<std::size_t>(sample.column);
    const double difference = std::abs(cuda::from_bf16(output[at]) - sample.expected);
    worst = std::isnan(difference) ? std::numeric_limits<double>::infinity() : std::max(worst, difference);
    largest = std::max(largest, std::abs(sample.expected));
  }
  return samples_.empty() ? 0 : worst / largest;
}

}  // namespace examples
