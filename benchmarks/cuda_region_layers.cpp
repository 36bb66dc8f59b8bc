#include "cuda_region_layers.hpp"

#include "kernels/cuda/gemm_scatter.hpp"
#include "kernels/cuda/peers/workspace_parts.hpp"
#include "searches/sequential_search.hpp"

#include <contextual/kernels/cuda/cublaslt.hpp>
#include <contextual/kernels/cuda/half_bits.hpp>

#include <algorithm>
#include <optional>
#include <random>

namespace contextual::benchmarks {
namespace {

namespace cuda = kernels::cuda;

/// Elements of a normal distribution, as those of weights and activations are; power depends on them.
std::vector<std::uint16_t> random_values(int rows, int columns, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> distribution(0.0F, 0.1F);
  std::vector<std::uint16_t> values(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  std::vector<std::uint16_t> pattern(1U << 20U);  // repeated: drawing all would take longer than measuring
  for (std::uint16_t& value : pattern) {
    value = cuda::to_bf16(distribution(generator));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = pattern[(i * 7919U) % pattern.size()];
  }
  return values;
}

std::shared_ptr<cuda::PeerWorkspace> workspace_of(const std::shared_ptr<Communicator>& communicator,
                                                  std::size_t bytes) {
  auto workspace = std::make_shared<cuda::PeerWorkspace>(communicator, bytes);
  if (!workspace->problem().empty()) {
    throw Error("the ranks cannot use each other's memory: " + workspace->problem());
  }
  return workspace;
}

/// The plain GEMM. Its configs have the tiles and the order of those of the regions' kernels with the same
/// ids, which it may leave out for few rows; for a reduce-scatter it has other buffers.
cuda::Gemm& product_of_region() {
  static cuda::Gemm kernel("product_of_region", cuda::gemm_space({0}), cuda::gemm_key,
                           cuda::gemm_definition());
  return kernel;
}

class AllGatherLayer final : public RegionLayer {
 public:
  AllGatherLayer(const std::shared_ptr<Communicator>& communicator, const RegionShape& shape)
      : shape_{.m = shape.m, .n = shape.n / communicator->size(), .k = shape.k},
        workspace_(workspace_of(communicator, cuda::AllGatherGemm::workspace_bytes(shape_))),
        layer_(workspace_, shape_),
        b_(random_values(shape_.n, shape_.k, 1)),
        c_(static_cast<std::size_t>(shape_.m) * static_cast<std::size_t>(shape_.n)) {
    const std::vector<std::uint16_t> a = random_values(shape_.m, shape_.k, 2);
    CONTEXTUAL_CHECKED(cudaMemcpy(const_cast<void*>(layer_.gathered()), a.data(), a.size() * sizeof(a[0]),
                                  cudaMemcpyHostToDevice));
    CONTEXTUAL_CHECKED(cudaDeviceSynchronize());
  }

  void run(CUstream stream) override {
    layer_(stream, {.a_rows = layer_.input()}, {.b = b_.get(), .c = c_.get()});
  }

  void run_gemm(CUstream stream) override {
    product_of_region()(
        stream,
        {.a = layer_.gathered(), .b = b_.get(), .c = c_.get(), .m = shape_.m, .n = shape_.n, .k = shape_.k});
  }

  void run_cublaslt(CUstream stream) override {
    cuda::cublaslt_gemm()(
        stream,
        {.a = layer_.gathered(), .b = b_.get(), .c = c_.get(), .m = shape_.m, .n = shape_.n, .k = shape_.k});
  }

  /// A and B are read, C is written, and the others' rows are written before they are read.
  std::size_t compulsory_bytes() const override {
    const auto m = static_cast<std::size_t>(shape_.m);
    const auto n = static_cast<std::size_t>(shape_.n);
    const auto k = static_cast<std::size_t>(shape_.k);
    const auto others = m - static_cast<std::size_t>(layer_.own_rows().count());
    return 2 * (m * k + n * k + m * n + others * k);
  }

  void run_transfer(CUstream stream) override {
    const cuda::PeerWorkspace::Parts& parts = workspace_->parts();
    const auto row_bytes = static_cast<std::size_t>(shape_.k) * sizeof(std::uint16_t);
    const kernels::Rows rows = layer_.own_rows();
    for (int rank = 0; rank < workspace_->ranks(); ++rank) {
      if (rank != workspace_->rank() && !rows.empty()) {
        CONTEXTUAL_CHECKED(cudaMemcpyAsync(parts.row_of(rank, rows.begin, shape_.k), layer_.input(),
                                           static_cast<std::size_t>(rows.count()) * row_bytes,
                                           cudaMemcpyDeviceToDevice, stream));
      }
    }
  }

  std::string gemm_kernel() const override { return cuda::gathered_gemm_name; }

 private:
  cuda::AllGatherGemmShape shape_;
  std::shared_ptr<cuda::PeerWorkspace> workspace_;
  cuda::AllGatherGemm layer_;
  Buffer<std::uint16_t> b_;
  Buffer<std::uint16_t> c_;
};

class ReduceScatterLayer final : public RegionLayer {
 public:
  ReduceScatterLayer(const std::shared_ptr<Communicator>& communicator, const RegionShape& shape)
      : shape_{.m = shape.m, .n = shape.n, .k = shape.k / communicator->size()},
        workspace_(workspace_of(communicator,
                                cuda::GemmReduceScatter::workspace_bytes(shape_, communicator->size()))),
        layer_(workspace_, shape_),
        a_(random_values(shape_.m, shape_.k, 1)),
        b_(random_values(shape_.n, shape_.k, 2)),
        partial_(static_cast<std::size_t>(shape_.m) * static_cast<std::size_t>(shape_.n)),
        c_(static_cast<std::size_t>(std::max(layer_.own_rows().count(), 1)) *
           static_cast<std::size_t>(shape_.n)) {}

  void run(CUstream stream) override { layer_(stream, {.a = a_.get(), .b = b_.get(), .c_rows = c_.get()}); }

  void run_gemm(CUstream stream) override {
    product_of_region()(
        stream,
        {.a = a_.get(), .b = b_.get(), .c = partial_.get(), .m = shape_.m, .n = shape_.n, .k = shape_.k});
  }

  void run_cublaslt(CUstream stream) override {
    cuda::cublaslt_gemm()(
        stream,
        {.a = a_.get(), .b = b_.get(), .c = partial_.get(), .m = shape_.m, .n = shape_.n, .k = shape_.k});
  }

  /// A and B are read, own rows are written, and partial sums of the others are written before they are read.
  std::size_t compulsory_bytes() const override {
    const auto m = static_cast<std::size_t>(shape_.m);
    const auto n = static_cast<std::size_t>(shape_.n);
    const auto k = static_cast<std::size_t>(shape_.k);
    const auto own = static_cast<std::size_t>(layer_.own_rows().count());
    const auto sent = own * static_cast<std::size_t>(workspace_->ranks() - 1);
    return 2 * (m * k + n * k + own * n + 2 * sent * n);
  }

  void run_transfer(CUstream stream) override {
    cuda::PeerWorkspace::Parts& parts = workspace_->parts();
    const int rank = workspace_->rank();
    const cuda::ScatterLayout layout = cuda::layout_of(shape_, workspace_->ranks());
    for (int owner = 0; owner < layout.ranks; ++owner) {
      if (owner != rank) {
        CONTEXTUAL_CHECKED(cudaMemcpyAsync(parts.matrices_of(owner) + layout.slot(rank), partial_.get(),
                                           layout.row(layout.rows_per_shard), cudaMemcpyDeviceToDevice,
                                           stream));
      }
    }
  }

  std::string gemm_kernel() const override { return cuda::scattered_gemm_name; }

 private:
  cuda::GemmReduceScatterShape shape_;
  std::shared_ptr<cuda::PeerWorkspace> workspace_;
  cuda::GemmReduceScatter layer_;
  Buffer<std::uint16_t> a_;
  Buffer<std::uint16_t> b_;
  Buffer<std::uint16_t> partial_;
  Buffer<std::uint16_t> c_;
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
