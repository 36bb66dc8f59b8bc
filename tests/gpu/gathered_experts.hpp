#pragma once

/// \file
/// What a rank needs to check products of gathered rows with their experts' weights: every rank makes the
/// data of all ranks from their seeds, and computes what it expects on the host.

#include "gpu/epilogue_reference.hpp"
#include "gpu/expert_reference.hpp"
#include "gpu/gpu_rank.hpp"
#include "gpu/kernel_support.hpp"
#include "kernels/cuda/moe_gather.hpp"

#include <contextual/kernels/cuda/allgather_moe.hpp>
#include <contextual/kernels/cuda/expert_routing.hpp>
#include <contextual/kernels/row_partition.hpp>

#include <map>

namespace contextual::test::gpu_test {

/// The rows of all ranks, this rank's weights, and what is expected of a routing, computed on the host.
class GatheredExperts {
 public:
  GatheredExperts(const Rank& rank, const kernels::cuda::AllGatherMoeShape& shape, unsigned seed)
      : shape_(shape),
        rank_(rank),
        half_{shape.type == kernels::cuda::GemmType::bf16},
        a_(half_, shape.m, shape.k, seed),
        weights_(half_, shape.experts * 2 * shape.n, shape.k, 100 + static_cast<unsigned>(rank.number)),
        ids_(static_cast<std::size_t>(shape.m * shape.top_k)),
        c_(half_, shape.m * shape.top_k, shape.n),
        routing_(shape.m, shape.top_k, shape.experts, {rank.number, rank.count}) {}

  /// Of all ranks; in stream order.
  void route(const ExpertIds& ids, cudaStream_t stream) {
    cuda_check(cudaStreamSynchronize(stream));
    cuda_check(cudaMemcpy(ids_.get(), ids.ids.data(), ids.ids.size() * sizeof(int), cudaMemcpyHostToDevice));
    cuda_check(cudaDeviceSynchronize());  // the copy may go on after its call
    expected_of_ = ids;
    expected_.clear();
  }
  void prepare(cudaStream_t stream) { routing_.prepare(stream, ids_.get(), expected_of_.rows); }

  /// Of as many rows as the routing has.
  kernels::cuda::GatheredRows own_rows() const {
    const int m = expected_of_.rows;
    const kernels::Rows rows = kernels::RowPartition(m, rank_.count).shard(rank_.number);
    return {rows.empty() ? nullptr : a_.row(rows.begin), m};
  }
  const kernels::cuda::ExpertRouting& routing() const { return routing_; }
  kernels::cuda::ExpertProduct product(bool gated) const {
    return {.routing = &routing_,
            .weights = weights_.row(0),
            .c = c_.get(),
            .gated = gated,
            .activation = gated ? kernels::cuda::Activation::silu : kernels::cuda::Activation::none};
  }
  kernels::cuda::MoeGatherArgs args(kernels::cuda::PeerWorkspace& workspace, bool gated) const {
    return {&workspace.parts(), shape_, product(gated)};
  }

  /// Returns how many elements of C are wrong, and takes C away. Waits for the device.
  std::size_t wrong(bool gated) {
    std::vector<ExpectedValue>& expected = expected_[gated];
    if (expected.empty()) {
      expected = expect(gated);
    }
    return c_.wrong(expected_of_.offsets().back(), false,
                    [&](int position, int column) { return expected[element(position, column, shape_.n)]; });
  }
  /// Of C, in positions of the routing.
  bool is_nan() const { return c_.is_nan_in_zeros(expected_of_.offsets().back(), false); }
  void zero() { c_.zero(); }
  void poison_c() { wrong(false); }
  std::vector<std::uint16_t> bits() const {
    std::vector<std::uint16_t> all(element(expected_of_.offsets().back(), 0, shape_.n));
    cuda_check(cudaDeviceSynchronize());
    cuda_check(cudaMemcpy(all.data(), c_.get(), all.size() * 2, cudaMemcpyDeviceToHost));
    return all;
  }
  /// All rows are in the matrix.
  bool is_gathered(const void* matrix) const {
    const std::size_t count = element(expected_of_.rows, 0, shape_.k);
    std::vector<std::uint16_t> there(count);
    std::vector<std::uint16_t> wanted(count);
    cuda_check(cudaDeviceSynchronize());
    cuda_check(cudaMemcpy(there.data(), matrix, count * 2, cudaMemcpyDeviceToHost));
    cuda_check(cudaMemcpy(wanted.data(), a_.row(0), count * 2, cudaMemcpyDeviceToHost));
    return there == wanted;
  }

 private:
  std::vector<ExpectedValue> expect(bool gated) const {
    std::vector<std::pair<int, int>> places(static_cast<std::size_t>(expected_of_.offsets().back()));
    const std::vector<int> positions = expected_of_.positions();
    for (std::size_t pair = 0; pair < positions.size(); ++pair) {
      if (positions[pair] >= 0) {
        places[static_cast<std::size_t>(positions[pair])] = {static_cast<int>(pair) / shape_.top_k,
                                                             expected_of_.ids[pair]};
      }
    }
    std::vector<ExpectedValue> expected;
    for (const auto& [row, expert] : places) {  // by position
      for (int column = 0; column < shape_.n; ++column) {
        const int first = expert * (gated ? 2 : 1) * shape_.n + column;
        double value = dot(row, first);
        if (gated) {
          value = activated(kernels::cuda::Activation::silu, value) * dot(row, first + shape_.n);
        }
        expected.push_back({value, 1.01 * half_.rounding() * std::abs(value) + 1e-4});
      }
    }
    return expected;
  }
  double dot(int row, int of_weights) const {
    double sum = 0;
    for (int i = 0; i < shape_.k; ++i) {
      sum += a_.value(row, i) * weights_.value(of_weights, i);
    }
    return sum;
  }

  kernels::cuda::AllGatherMoeShape shape_;
  Rank rank_;
  Half half_;
  HalfMatrix a_;
  HalfMatrix weights_;
  DeviceArray<int> ids_;
  ResultMemory c_;
  kernels::cuda::ExpertRouting routing_;
  ExpertIds expected_of_{};  // what was routed last
  std::map<bool, std::vector<ExpectedValue>>
      expected_;  // of it, once it is asked for: with a gate or without
};

}  // namespace contextual::test::gpu_test
