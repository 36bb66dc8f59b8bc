#pragma once

/// \file
/// What a rank needs to check the sum of all ranks' products for its rows: every rank makes the data of all
/// ranks from their seeds, and computes what it expects with a plain kernel.

#include "gpu/gathered_problem.hpp"
#include "gpu/gemm_reference.hpp"
#include "gpu/gpu_rank.hpp"
#include "gpu/kernel_support.hpp"

#include <contextual/kernels/cuda/gemm_reduce_scatter.hpp>

#include <algorithm>

namespace contextual::test::gpu_test {

/// Several sets of data for one shape, on the device, with what is expected of each.
class ReducedProblem {
 public:
  ReducedProblem(const Rank& rank, const kernels::cuda::GemmReduceScatterShape& shape, int sets)
      : shape_(shape),
        half_{shape.type == kernels::cuda::GemmType::bf16},
        rows_(shape.all_rows ? kernels::Rows{0, shape.m}
                             : kernels::RowPartition(shape.m, rank.count).shard(rank.number)),
        c_(size(rows_.count(), shape.n)) {
    const DeviceArray<float> product(size(shape.m, shape.n));
    for (int set = 0; set < sets; ++set) {
      Data data;
      data.expected.assign(size(rows_.count(), shape.n), 0.0F);
      data.largest.assign(data.expected.size(), 0.0F);
      for (int source = 0; source < rank.count; ++source) {
        const auto seed = static_cast<unsigned>(100 * set + source);
        auto a =
            std::make_unique<DeviceArray<std::uint16_t>>(small_values(half_, size(shape.m, shape.k), seed));
        auto b = std::make_unique<DeviceArray<std::uint16_t>>(
            small_values(half_, size(shape.n, shape.k), seed + 50));
        reference_gemm()(nullptr, product.get(), a->get(), b->get(), shape.m, shape.n, shape.k, half_.bf16);
        add(data, product.host());
        if (source == rank.number) {
          data.a = std::move(a);
          data.b = std::move(b);
        }
      }
      sets_.push_back(std::move(data));
    }
  }

  const kernels::Rows& rows() const { return rows_; }
  int sets() const { return static_cast<int>(sets_.size()); }
  const std::uint16_t* a(int set) const { return at(set).a->get(); }
  const std::uint16_t* b(int set) const { return at(set).b->get(); }
  std::uint16_t* c() const { return c_.get(); }

  /// Returns how many elements of C are wrong, NaN among them, and takes C away. Each of the parts and the
  /// sum are rounded, which is allowed for on top of what float sums in another order may add. Waits for the
  /// device.
  std::size_t wrong(int set, int parts) {
    const Data& data = at(set);
    const std::vector<std::uint16_t> c = c_.host();
    std::size_t count = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
      const double rounded =
          half_.rounding() / 2 *
          (parts * static_cast<double>(data.largest[i]) + std::abs(static_cast<double>(data.expected[i])));
      const double difference = std::abs(half_.value(c[i]) - static_cast<double>(data.expected[i]));
      count += difference <= float_bound + 2 * rounded
                   ? 0
                   : 1;  // an ulp may be twice as large as the value's share of it
    }
    c_.poison();
    return count;
  }
  std::vector<std::uint16_t> bits() const { return c_.host(); }

 private:
  struct Data {
    std::unique_ptr<DeviceArray<std::uint16_t>> a;
    std::unique_ptr<DeviceArray<std::uint16_t>> b;
    std::vector<float> expected;
    std::vector<float> largest;  ///< of the ranks' parts
  };

  static constexpr double float_bound = 1e-3;

  static std::size_t size(int rows, int columns) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  }
  const Data& at(int set) const { return sets_[static_cast<std::size_t>(set)]; }

  void add(Data& data, const std::vector<float>& product) const {
    const std::size_t first = size(rows_.begin, shape_.n);
    for (std::size_t i = 0; i < data.expected.size(); ++i) {
      data.expected[i] += product[first + i];
      data.largest[i] = std::max(data.largest[i], std::abs(product[first + i]));
    }
  }

  kernels::cuda::GemmReduceScatterShape shape_;
  Half half_;
  kernels::Rows rows_;
  DeviceArray<std::uint16_t> c_;
  std::vector<Data> sets_;
};

}  // namespace contextual::test::gpu_test
