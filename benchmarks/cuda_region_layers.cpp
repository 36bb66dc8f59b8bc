#include "cuda_region_layers.hpp"

#include "common/gathered_gemm.hpp"
#include "common/reduced_gemm.hpp"
#include "cuda_common.hpp"
#include "kernels/cuda/gemm_scatter.hpp"
#include "kernels/cuda/peers/workspace_parts.hpp"
#include "searches/sequential_search.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace contextual::benchmarks {
namespace {

namespace cuda = kernels::cuda;

using examples::elements_of;

constexpr std::size_t element_bytes = sizeof(std::uint16_t);

class AllGatherLayer final : public RegionLayer {
 public:
  AllGatherLayer(const std::shared_ptr<Communicator>& communicator, const RegionShape& shape)
      : whole_(communicator, {.m = shape.m, .n = shape.n / communicator->size(), .k = shape.k}) {}

  examples::CheckedLayer& whole() override { return whole_; }
  cuda::GemmArgs product() const override { return whole_.product(); }

  void run_transfer() override {
    const cuda::PeerWorkspace::Parts& parts = whole_.workspace().parts();
    const kernels::Rows rows = whole_.own_rows();
    const int k = whole_.sizes().k;
    for (int rank = 0; rank < whole_.workspace().ranks(); ++rank) {
      if (rank != whole_.workspace().rank() && !rows.empty()) {
        CONTEXTUAL_CHECKED(cudaMemcpyAsync(
            parts.row_of(rank, rows.begin, k), parts.row_of(whole_.workspace().rank(), rows.begin, k),
            elements_of(rows.count(), k) * element_bytes, cudaMemcpyDeviceToDevice, whole_.stream().get()));
      }
    }
  }

  /// A and B are read, C is written, and the others' rows are written before they are read.
  std::size_t compulsory_bytes() const override {
    const auto [m, n, k] = whole_.sizes();
    return element_bytes * (elements_of(m, k) + elements_of(n, k) + elements_of(m, n) +
                            elements_of(m - whole_.own_rows().count(), k));
  }

  std::string gemm_kernel() const override { return cuda::gathered_gemm_name; }

 private:
  examples::GatheredGemm whole_;
};

class ReduceScatterLayer final : public RegionLayer {
 public:
  ReduceScatterLayer(const std::shared_ptr<Communicator>& communicator, const RegionShape& shape)
      : whole_(communicator, {.m = shape.m, .n = shape.n, .k = shape.k / communicator->size()}),
        partial_(elements_of(shape.m, shape.n)) {}

  examples::CheckedLayer& whole() override { return whole_; }
  cuda::GemmArgs product() const override {
    cuda::GemmArgs args = whole_.product();
    args.c = partial_.get();
    return args;
  }

  void run_transfer() override {
    cuda::PeerWorkspace::Parts& parts = whole_.workspace().parts();
    const int rank = whole_.workspace().rank();
    const auto [m, n, k] = whole_.sizes();
    const cuda::ScatterLayout layout = cuda::layout_of({.m = m, .n = n, .k = k}, whole_.workspace().ranks());
    for (int owner = 0; owner < layout.ranks; ++owner) {
      if (owner != rank) {
        CONTEXTUAL_CHECKED(cudaMemcpyAsync(parts.matrices_of(owner) + layout.slot(rank), partial_.get(),
                                           layout.row(layout.rows_of_owner), cudaMemcpyDeviceToDevice,
                                           whole_.stream().get()));
      }
    }
  }

  /// A and B are read, own rows are written, and partial sums of the others are written before they are read.
  std::size_t compulsory_bytes() const override {
    const auto [m, n, k] = whole_.sizes();
    const auto others = static_cast<std::size_t>(whole_.workspace().ranks() - 1);
    return element_bytes * (elements_of(m, k) + elements_of(n, k) +
                            elements_of(whole_.own_rows().count(), n) * (1 + 2 * others));
  }

  std::string gemm_kernel() const override { return cuda::scattered_gemm_name; }

 private:
  examples::ReducedGemm whole_;
  Buffer<std::uint16_t> partial_;
};

class FixedSearch final : public examples::SequentialSearch {
 public:
  FixedSearch(const SearchRequest& request, const std::map<std::string, std::size_t>& configs)
      : SequentialSearch(request), assignment_(request.start) {
    for (std::size_t problem = 0; problem < request.problems.size(); ++problem) {
      if (const auto found = configs.find(request.problems[problem].kernel); found != configs.end()) {
        assignment_[problem] = found->second;
      }
    }
    begin();
  }

  std::optional<Assignment> best() const override { return shortest(); }
  std::string reason() const override { return "it is the only one that was wanted"; }

 private:
  std::optional<Assignment> next_visit() override {
    return std::exchange(visited_, true) ? std::nullopt : std::optional(assignment_);
  }

  Assignment assignment_;
  bool visited_ = false;
};

class SubspaceSearch final : public examples::SequentialSearch {
 public:
  SubspaceSearch(const SearchRequest& request, const std::map<std::string, std::vector<std::size_t>>& configs)
      : SequentialSearch(request, samples), waiting_{request.start} {
    for (std::size_t problem = 0; problem < request.problems.size(); ++problem) {
      const auto found = configs.find(request.problems[problem].kernel);
      if (found == configs.end()) {
        continue;
      }
      std::vector<Assignment> all;
      for (const Assignment& assignment : waiting_) {
        for (const std::size_t config : found->second) {
          if (config < request.problems[problem].configs.size()) {
            all.push_back(assignment);
            all.back()[problem] = config;
          }
        }
      }
      waiting_ = std::move(all);
    }
    begin();
  }

  std::optional<Assignment> best() const override {
    std::optional<Assignment> best;
    for (const auto& [assignment, times_ns] : finals_) {
      if (usable(assignment) && (!best || middle(times_ns) < middle(finals_.at(*best)))) {
        best = assignment;
      }
    }
    return best ? best : shortest();
  }
  std::string reason() const override { return "the shortest of the subspace"; }

 private:
  static constexpr int samples = 3;
  static constexpr std::size_t finalists = 10;
  static constexpr int final_visits = 5;

  static std::int64_t middle(std::vector<std::int64_t> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                     values.end());
    return values[values.size() / 2];
  }

  std::optional<Assignment> next_visit() override {
    if (last_) {
      if (const auto time_ns = latest_ns(*last_)) {
        (in_finals_ ? finals_ : first_)[*last_].push_back(*time_ns);
      }
    }
    if (waiting_.empty() && !in_finals_) {
      in_finals_ = true;
      std::vector<std::pair<std::int64_t, Assignment>> order;
      for (const auto& [assignment, times_ns] : first_) {
        order.emplace_back(middle(times_ns), assignment);
      }
      std::sort(order.begin(), order.end());
      order.resize(std::min(order.size(), finalists));
      for (int visit = 0; visit < final_visits; ++visit) {  // in turn
        for (const auto& [time_ns, assignment] : order) {
          waiting_.push_back(assignment);
        }
      }
    }
    last_.reset();
    if (!waiting_.empty()) {
      last_ = waiting_.front();
      waiting_.erase(waiting_.begin());
    }
    return last_;
  }

  std::vector<Assignment> waiting_;
  std::optional<Assignment> last_;
  bool in_finals_ = false;
  std::map<Assignment, std::vector<std::int64_t>> first_;
  std::map<Assignment, std::vector<std::int64_t>> finals_;
};

}  // namespace

std::unique_ptr<RegionLayer> make_allgather_layer(const std::shared_ptr<Communicator>& communicator,
                                                  const RegionShape& shape) {
  return std::make_unique<AllGatherLayer>(communicator, shape);
}

std::unique_ptr<RegionLayer> make_reduce_scatter_layer(const std::shared_ptr<Communicator>& communicator,
                                                       const RegionShape& shape) {
  return std::make_unique<ReduceScatterLayer>(communicator, shape);
}

cuda::Gemm& product_of_region() {
  static cuda::Gemm kernel("product_of_region", cuda::gemm_space({0}), cuda::gemm_key,
                           cuda::gemm_definition());
  return kernel;
}

SearchFactory fixed_search(std::map<std::string, std::size_t> configs) {
  return [configs = std::move(configs)](const SearchRequest& request) {
    return std::make_unique<FixedSearch>(request, configs);
  };
}

SearchFactory subspace_search(std::map<std::string, std::vector<std::size_t>> configs) {
  return [configs = std::move(configs)](const SearchRequest& request) {
    return std::make_unique<SubspaceSearch>(request, configs);
  };
}

}  // namespace contextual::benchmarks
