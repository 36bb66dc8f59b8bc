#pragma once

/// \file
/// What a rank needs to check the sum over experts and ranks for its rows: every rank makes the data of all
/// ranks from their seeds, and computes what it expects on the host.

#include "gpu/epilogue_reference.hpp"
#include "gpu/expert_reference.hpp"
#include "gpu/gpu_rank.hpp"
#include "gpu/kernel_support.hpp"

#include <contextual/kernels/cuda/expert_routing.hpp>
#include <contextual/kernels/cuda/moe_reduce_scatter.hpp>
#include <contextual/kernels/row_partition.hpp>

namespace contextual::test::gpu_test {

/// Data for one shape, on the device, and what is expected of the routing that is chosen.
class ReducedExperts {
 public:
  ReducedExperts(const Rank& rank, const kernels::cuda::MoeReduceScatterShape& shape)
      : shape_(shape),
        half_{shape.type == kernels::cuda::GemmType::bf16},
        rows_(kernels::RowPartition(shape.m, rank.count).shard(rank.number)),
        ids_(std::vector<int>(element(shape.m, 0, shape.top_k), -1)),
        routing_(shape.m, shape.top_k, shape.experts),
        factors_(make_factors()),
        factors_on_device_(factors_),
        c_(element(rows_.count(), 0, shape.n)) {
    for (int source = 0; source < rank.count; ++source) {
      const auto seed = static_cast<unsigned>(source);
      ranks_.push_back(
          {random(shape.m * shape.top_k, seed, source == rank.number ? &a_ : nullptr),
           random(shape.experts * shape.n, seed + 50, source == rank.number ? &weights_ : nullptr)});
    }
  }

  const kernels::Rows& rows() const { return rows_; }
  kernels::cuda::MoeReduceScatterCall call() const {
    return {.routing = &routing_,
            .topk_weights = factors_on_device_.get(),
            .a = a_->get(),
            .weights = weights_->get(),
            .c_rows = c_.get(),
            .m = shape_.m};
  }

  /// Brings ids to the device, where a preparation finds them. Waits for the device.
  void choose(const ExpertIds& ids) {
    cuda_check(cudaDeviceSynchronize());
    cuda_check(cudaMemcpy(ids_.get(), ids.ids.data(), ids.ids.size() * sizeof(int), cudaMemcpyHostToDevice));
    cuda_check(cudaDeviceSynchronize());
    const std::vector<int> positions = ids.positions();
    expected_.clear();
    of_ranks_.clear();
    for (int row = rows_.begin; row < rows_.end; ++row) {
      for (int column = 0; column < shape_.n; ++column) {
        expected_.push_back(expect(ids, positions, row, column));
      }
    }
  }
  void prepare(cudaStream_t stream) { routing_.prepare(stream, ids_.get()); }

  /// Returns how many elements of C are wrong, NaN among them, and takes C away. NCCL also rounds the sums of
  /// some ranks, for all but two of them at most, none of which is larger than all ranks' parts. Waits for
  /// the device.
  std::size_t wrong(bool by_nccl = false) {
    const std::vector<std::uint16_t> c = c_.host();
    const double sums_between = by_nccl ? std::max(0.0, static_cast<double>(ranks_.size()) - 2) : 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
      const double allowed = expected_[i].allowed + sums_between * half_.rounding() * of_ranks_[i];
      count += std::abs(half_.value(c[i]) - expected_[i].value) <= allowed ? 0 : 1;
    }
    c_.poison();
    return count;
  }
  std::vector<std::uint16_t> bits() const { return c_.host(); }
  std::size_t nan_count() const {
    const std::vector<std::uint16_t> c = c_.host();
    return static_cast<std::size_t>(std::count_if(
        c.begin(), c.end(), [this](std::uint16_t bits) { return std::isnan(half_.value(bits)); }));
  }
  void zero() {
    cuda_check(cudaMemset(c_.get(), 0, element(rows_.count(), 0, shape_.n) * sizeof(std::uint16_t)));
    cuda_check(cudaDeviceSynchronize());
  }

 private:
  using OnDevice = std::unique_ptr<DeviceArray<std::uint16_t>>;
  struct OfRank {
    std::vector<float> a;
    std::vector<float> weights;
  };

  /// Rows of k values; also on the device, if it is wanted.
  std::vector<float> random(int rows, unsigned seed, OnDevice* on_device) const {
    const std::vector<std::uint16_t> bits = half_.within(0.7F, element(rows, 0, shape_.k), seed);
    if (on_device != nullptr) {
      *on_device = std::make_unique<DeviceArray<std::uint16_t>>(bits);
    }
    std::vector<float> values;
    for (const std::uint16_t value : bits) {
      values.push_back(static_cast<float>(half_.value(value)));
    }
    return values;
  }

  std::vector<float> make_factors() const {
    std::vector<float> factors(element(shape_.m, 0, shape_.top_k));
    for (std::size_t i = 0; i < factors.size(); ++i) {
      factors[i] = 0.01F * static_cast<float>(i % 97) - 0.3F;
    }
    return factors;
  }

  /// Products, the ranks' sums and the result are rounded, and float adds up to a little.
  ExpectedValue expect(const ExpertIds& ids, const std::vector<int>& positions, int row, int column) {
    double sum = 0;
    double rounded = 0;
    double of_ranks = 0;
    for (const OfRank& rank : ranks_) {
      double part = 0;
      for (int place = 0; place < shape_.top_k; ++place) {
        const std::size_t pair = element(row, place, shape_.top_k);
        if (positions[pair] >= 0) {
          const double term = static_cast<double>(factors_[pair]) *
                              dot(rank, positions[pair], ids.ids[pair] * shape_.n + column);
          part += term;
          rounded += std::abs(term);
        }
      }
      sum += part;
      of_ranks += std::abs(part);
    }
    of_ranks_.push_back(of_ranks);
    rounded += of_ranks;
    return {sum, half_.rounding() * (rounded + std::abs(sum)) + 1e-5};
  }

  double dot(const OfRank& rank, int position, int of_weights) const {
    double sum = 0;
    for (int i = 0; i < shape_.k; ++i) {
      sum += static_cast<double>(rank.a[element(position, i, shape_.k)]) *
             static_cast<double>(rank.weights[element(of_weights, i, shape_.k)]);
    }
    return sum;
  }

  kernels::cuda::MoeReduceScatterShape shape_;
  Half half_;
  kernels::Rows rows_;
  DeviceArray<int> ids_;
  kernels::cuda::ExpertRouting routing_;
  std::vector<float> factors_;
  DeviceArray<float> factors_on_device_;
  DeviceArray<std::uint16_t> c_;
  OnDevice a_;
  OnDevice weights_;
  std::vector<OfRank> ranks_;
  std::vector<ExpectedValue> expected_;
  std::vector<double> of_ranks_{};  ///< for each of C, the sum of the absolute values of the ranks' parts
};

}  // namespace contextual::test::gpu_test
