// What layers need of the regions: any number of rows, bias, activation, residual and pitches.

#include "gpu/epilogue_reference.hpp"
#include "gpu/gpu_rank.hpp"
#include "gpu/kernel_support.hpp"
#include "gpu/region_workspace.hpp"
#include "kernels/cuda/gemm_gather.hpp"
#include "kernels/cuda/gemm_scatter.hpp"
#include "kernels/cuda/gemm_sizes.hpp"
#include "kernels/cuda/peers/workspace_parts.hpp"
#include "support/catch.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/kernels/cuda/allgather_gemm.hpp>
#include <contextual/kernels/cuda/gemm_reduce_scatter.hpp>

namespace contextual::test::gpu_test::region_layers_test {

using namespace kernels::cuda;

namespace {

constexpr int n = 136;
constexpr int k = 88;

enum class Residual : std::uint8_t { none, apart, in_place };

/// What a call is asked for besides the product.
struct Wanted {
  int m = 1;
  bool bias = false;
  Activation activation = Activation::none;
  Residual residual = Residual::none;
  bool pitched = false;
};

/// The all-gather GEMM of two products, of which only the first one gets what is wanted. Fewer rows are the
/// first ones of the most.
class Gather {
 public:
  Gather(const Rank& rank, const std::shared_ptr<PeerWorkspace>& workspace, int m, GemmType type)
      : half_{type == GemmType::bf16},
        workspace_(workspace),
        layer_(workspace, {m, n, k, type}),
        a_(half_, m, k, 1),
        pitched_a_(half_, m, k, 1, HalfMatrix::gap),
        b_(half_, n, k, 100U + static_cast<unsigned>(rank.number)),
        bias_(half_, 1, n, 200U + static_cast<unsigned>(rank.number)),
        c_(half_, m, n),
        plain_c_(half_, m, n),
        sums_(reference_sums(a_, b_, m, n, k, half_.bf16)) {}

  void call(cudaStream_t stream, const Wanted& wanted) {
    const HalfMatrix& a = wanted.pitched ? pitched_a_ : a_;
    layer_(stream, {.a_rows = a.row(layer_.own_rows(wanted.m).begin), .m = wanted.m, .pitch = a.pitch()},
           products(wanted));
  }
  /// With the rows of the call before.
  CUresult launch(std::size_t config, cudaStream_t stream, const Wanted& wanted) {
    const auto all = products(wanted);
    return gemm_gather().launch_config(config, stream,
                                       {&workspace_->parts(), all, {wanted.m, n, k, layer_.shape().type}});
  }

  /// Counts wrong elements, and poisons the results.
  std::size_t wrong(const Wanted& wanted) {
    const auto expected = [&](double bias, Activation activation, int row, int column) {
      const auto sum = static_cast<double>(sums_[element(row, column, n)]);
      const double value = activated(activation, sum + bias);
      // "separate" rounds the sum as well, and no activation is steeper than that.
      return ExpectedValue{value, half_.rounding() * (1.2 * std::abs(sum) + std::abs(value)) + 1e-4};
    };
    return c_.wrong(wanted.m, wanted.pitched, [&](int row, int column) {
      const double bias = wanted.bias ? bias_.value(0, column) : 0;
      return expected(bias, wanted.activation, row, column);
    }) + plain_c_.wrong(wanted.m, false, [&](int row, int column) {
      return expected(0, Activation::none, row, column);
    });
  }
  void zero() { c_.zero(); }
  bool is_nan(const Wanted& wanted) const { return c_.is_nan_in_zeros(wanted.m, wanted.pitched); }
  static const ConfigSpace<GemmConfig>& space() { return gemm_gather().space(); }

 private:
  std::array<GatheredProduct, 2> products(const Wanted& wanted) const {
    return {{{.b = b_.row(0),
              .c = c_.get(),
              .n = n,
              .bias = wanted.bias ? bias_.row(0) : nullptr,
              .activation = wanted.activation,
              .pitch = wanted.pitched ? c_.pitch(true) : 0},
             {.b = b_.row(0), .c = plain_c_.get(), .n = n}}};
  }

  Half half_;
  std::shared_ptr<PeerWorkspace> workspace_;
  AllGatherGemm layer_;
  HalfMatrix a_;
  HalfMatrix pitched_a_;
  HalfMatrix b_;
  HalfMatrix bias_;
  ResultMemory c_;
  ResultMemory plain_c_;
  std::vector<float> sums_;
};

/// The all-gather GEMM of one gated product, which has no bias.
class GatedGather {
 public:
  GatedGather(const Rank& rank, const std::shared_ptr<PeerWorkspace>& workspace, int m, GemmType type)
      : half_{type == GemmType::bf16},
        workspace_(workspace),
        layer_(workspace, {m, n, k, type}),
        a_(half_, m, k, 1),
        weights_(half_, 2 * n, k, 700U + static_cast<unsigned>(rank.number)),
        c_(half_, m, n),
        sums_(reference_sums(a_, weights_, m, 2 * n, k, half_.bf16)) {}

  void call(cudaStream_t stream, const Wanted& wanted) {
    layer_(stream, {.a_rows = a_.row(layer_.own_rows(wanted.m).begin), .m = wanted.m}, product(wanted));
  }
  CUresult launch(std::size_t config, cudaStream_t stream, const Wanted& wanted) {
    const GatheredProduct only = product(wanted);
    return gated_gather().launch_config(
        config, stream, {&workspace_->parts(), std::span(&only, 1), {wanted.m, n, k, layer_.shape().type}});
  }

  std::size_t wrong(const Wanted& wanted) {
    return c_.wrong(wanted.m, wanted.pitched, [&](int row, int column) {
      const auto gate = static_cast<double>(sums_[element(row, column, 2 * n)]);
      const auto up = static_cast<double>(sums_[element(row, n + column, 2 * n)]);
      const double value = activated(wanted.activation, gate) * up;
      return ExpectedValue{value, half_.rounding() * std::abs(value) + 1e-4};
    });
  }
  void zero() { c_.zero(); }
  bool is_nan(const Wanted& wanted) const { return c_.is_nan_in_zeros(wanted.m, wanted.pitched); }
  static const ConfigSpace<GemmConfig>& space() { return gated_gather().space(); }

 private:
  GatheredProduct product(const Wanted& wanted) const {
    return {.b = weights_.row(0),
            .c = c_.get(),
            .n = n,
            .activation = wanted.activation,
            .pitch = wanted.pitched ? c_.pitch(true) : 0,
            .gated = true};
  }

  Half half_;
  std::shared_ptr<PeerWorkspace> workspace_;
  AllGatherGemm layer_;
  HalfMatrix a_;
  HalfMatrix weights_;
  ResultMemory c_;
  std::vector<float> sums_;
};

/// The GEMM reduce-scatter, of which fewer rows are the first ones of the most as well.
class Scatter {
 public:
  Scatter(const Rank& rank, const std::shared_ptr<PeerWorkspace>& workspace, int m, GemmType type)
      : half_{type == GemmType::bf16},
        workspace_(workspace),
        layer_(workspace, {m, n, k, type}),
        a_(half_, m, k, seed_of_a(rank.number)),
        pitched_a_(half_, m, k, seed_of_a(rank.number), HalfMatrix::gap),
        b_(half_, n, k, seed_of_b(rank.number)),
        bias_(half_, 1, n, 300),
        residual_(half_, m, n, 400),
        pitched_residual_(half_, m, n, 400, HalfMatrix::gap),
        c_(half_, m, n),
        sums_(element(m, 0, n), 0.0F),
        magnitudes_(sums_) {
    for (int source = 0; source < rank.count; ++source) {
      const std::vector<float> part =
          reference_sums(HalfMatrix(half_, m, k, seed_of_a(source)),
                         HalfMatrix(half_, n, k, seed_of_b(source)), m, n, k, half_.bf16);
      for (std::size_t i = 0; i < part.size(); ++i) {
        sums_[i] += part[i];
        magnitudes_[i] += std::abs(part[i]);
      }
    }
  }

  void call(cudaStream_t stream, const Wanted& wanted) { layer_(stream, prepare(stream, wanted)); }
  CUresult launch(std::size_t config, cudaStream_t stream, const Wanted& wanted) {
    return gemm_scatter().launch_config(
        config, stream,
        {&workspace_->parts(), {wanted.m, n, k, layer_.shape().type}, prepare(stream, wanted)});
  }

  std::size_t wrong(const Wanted& wanted) {
    const kernels::Rows rows = layer_.own_rows(wanted.m);
    return c_.wrong(rows.count(), wanted.pitched, [&](int row, int column) {
      const auto i = element(rows.begin + row, column, n);
      const double x = static_cast<double>(sums_[i]) + (wanted.bias ? bias_.value(0, column) : 0);
      const double residual =
          wanted.residual == Residual::none ? 0 : residual_.value(rows.begin + row, column);
      const double value = activated(wanted.activation, x) + residual;
      // The ranks' parts are rounded, and so are sums on NCCL's way.
      const auto rounded = 1.2 * 2 * static_cast<double>(magnitudes_[i]);
      return ExpectedValue{value, half_.rounding() * (rounded + std::abs(value)) + 1e-4};
    });
  }
  void zero() { c_.zero(); }
  bool is_nan(const Wanted& wanted) const {
    return c_.is_nan_in_zeros(layer_.own_rows(wanted.m).count(), wanted.pitched);
  }
  static const ConfigSpace<GemmConfig>& space() { return gemm_scatter().space(); }

 private:
  static unsigned seed_of_a(int rank) { return 500U + static_cast<unsigned>(rank); }
  static unsigned seed_of_b(int rank) { return 600U + static_cast<unsigned>(rank); }

  /// Brings the residual to C, if it is wanted there.
  GemmReduceScatterCall prepare(cudaStream_t stream, const Wanted& wanted) {
    const kernels::Rows rows = layer_.own_rows(wanted.m);
    const HalfMatrix& a = wanted.pitched ? pitched_a_ : a_;
    const HalfMatrix& residual = wanted.pitched ? pitched_residual_ : residual_;
    const bool in_place = wanted.residual == Residual::in_place;
    if (in_place && !rows.empty()) {
      const auto bytes = [](int values) { return static_cast<std::size_t>(values) * 2; };
      cuda_check(cudaMemcpy2DAsync(c_.get(), bytes(residual.pitch()), residual.row(rows.begin),
                                   bytes(residual.pitch()), bytes(n), static_cast<std::size_t>(rows.count()),
                                   cudaMemcpyDeviceToDevice, stream));
    }
    const void* const apart =
        wanted.residual == Residual::apart ? residual.row(std::min(rows.begin, wanted.m - 1)) : nullptr;
    return {.a = a.row(0),
            .b = b_.row(0),
            .c_rows = c_.get(),
            .bias = wanted.bias ? bias_.row(0) : nullptr,
            .residual = in_place ? c_.get() : apart,
            .activation = wanted.activation,
            .m = wanted.m,
            .a_pitch = a.pitch(),
            .c_pitch = c_.pitch(wanted.pitched),
            .residual_pitch = residual.pitch()};
  }

  Half half_;
  std::shared_ptr<PeerWorkspace> workspace_;
  GemmReduceScatter layer_;
  HalfMatrix a_;
  HalfMatrix pitched_a_;
  HalfMatrix b_;
  HalfMatrix bias_;
  HalfMatrix residual_;
  HalfMatrix pitched_residual_;
  ResultMemory c_;
  std::vector<float> sums_;
  std::vector<float> magnitudes_;  ///< of the ranks' parts together
};

/// Returns null where the ranks cannot use each other's memory. Collective.
std::shared_ptr<PeerWorkspace> workspace_for(const Rank& rank, int m,
                                             const PeerWorkspaceOptions& options = {}) {
  return region_workspace(rank,
                          std::max(AllGatherGemm::workspace_bytes({m, n, k, GemmType::bf16}),
                                   GemmReduceScatter::workspace_bytes({m, n, k, GemmType::bf16}, rank.count)),
                          options);
}

/// Lets calls like this one run by this way from now on. `calls`: of which they are.
void choose_way(const Rank& rank, const char* way, const std::string& calls,
                const std::function<void()>& call) {
  Options options = region_tuning(rank);
  options.search_settings.runs = 20;
  options.feasible = only_way(way);
  ContextualAutotuner tuner(options);
  const std::string region = std::string(way) + " " + calls;
  tuner.run(region, call);
  const RegionReport report = tuner.report(region);
  const auto& problems = report.problems;
  const auto ways = std::find_if(problems.begin(), problems.end(), [](const ProblemReport& problem) {
    return problem.kernel.ends_with("_ways");
  });
  REQUIRE(ways != problems.end());
  REQUIRE(ways->choice_config.get<std::string>("alternative") == way);
}

template <typename Region>
void check_everything(Region& region, cudaStream_t stream, int m, std::span<const Residual> residuals) {
  for (const Activation activation : activations) {
    for (const Residual residual : residuals) {
      for (const bool bias : {false, true}) {
        for (const bool pitched : {false, true}) {
          CAPTURE(static_cast<int>(activation), static_cast<int>(residual), bias, pitched);
          const Wanted wanted{m, bias, activation, residual, pitched};
          region.call(stream, wanted);
          CHECK(region.wrong(wanted) == 0);
        }
      }
    }
  }
}

/// One config for each number of slabs and of consumers that are beside each other.
template <typename Region>
void check_tiles(Region& region, cudaStream_t stream, int m, Residual residual) {
  const Wanted wanted{m, true, Activation::gelu, residual, true};
  region.call(stream, wanted);
  CHECK(region.wrong(wanted) == 0);
  for (const int block_m : {64, 128, 256}) {
    const auto& configs = Region::space().configs();
    const auto config = std::find_if(configs.begin(), configs.end(), [&](const GemmConfig& each) {
      return each.block_m == block_m && each.cluster == 2;
    });
    REQUIRE(config != configs.end());
    CAPTURE(block_m);
    REQUIRE(region.launch(static_cast<std::size_t>(config - configs.begin()), stream, wanted) ==
            CUDA_SUCCESS);
    CHECK(region.wrong(wanted) == 0);
  }
}

/// Calls with different numbers of rows in any order, eager and replayed.
template <typename Region>
void check_any_rows(Region& region, cudaStream_t stream, std::span<const int> rows) {
  const auto wanted_of = [](int m) { return Wanted{m, true, Activation::silu, Residual::apart, m % 2 != 0}; };
  std::vector<std::unique_ptr<Graph>> graphs;
  for (const int m : rows) {
    CAPTURE(m);
    region.call(stream, wanted_of(m));  // code is loaded before a capture
    CHECK(region.wrong(wanted_of(m)) == 0);
    graphs.push_back(std::make_unique<Graph>(stream, [&] { region.call(stream, wanted_of(m)); }));
  }
  std::mt19937 common(11);  // all ranks make the same calls
  for (int call = 0; call < 40; ++call) {
    const std::size_t index = common() % rows.size();
    const bool replayed = common() % 2 == 0;
    CAPTURE(rows[index], replayed);
    if (replayed) {
      graphs[index]->launch(stream);
    } else {
      region.call(stream, wanted_of(rows[index]));
    }
    CHECK(region.wrong(wanted_of(rows[index])) == 0);
  }
}

template <typename Region>
void check_failed_call(Region& region, const Rank& rank, PeerWorkspace& workspace, cudaStream_t stream) {
  const Wanted wanted{101, true, Activation::relu, Residual::none, true};
  region.call(stream, wanted);
  CHECK(region.wrong(wanted) == 0);
  on_all_ranks(true);
  if (rank.number != rank.count - 1) {
    region.zero();
    region.call(stream, wanted);
    CHECK(region.is_nan(wanted));
    CHECK_FALSE(workspace.failure().empty());
  }
  on_all_ranks(true);
  workspace.rearm();
}

}  // namespace

TEST_CASE("layers: bias, activation, residual and pitch do what they say, by each way", "[layers]") {
  ONLY_IF(on_all_ranks(has_gpu()));
  const Rank rank;
  const Stream stream;
  constexpr int m = 259;
  const auto workspace = workspace_for(rank, m);
  ONLY_IF(workspace != nullptr);
  constexpr Residual nothing[] = {Residual::none};
  constexpr Residual any[] = {Residual::none, Residual::apart, Residual::in_place};
  for (const auto type : {GemmType::fp16, GemmType::bf16}) {
    const std::string name = type == GemmType::fp16 ? "fp16" : "bf16";
    Gather gather(rank, workspace, m, type);
    Scatter scatter(rank, workspace, m, type);
    {
      INFO("overlapped, " << name);
      check_everything(gather, stream, m, nothing);
      check_everything(scatter, stream, m, any);
      check_tiles(gather, stream, m, Residual::none);
      check_tiles(scatter, stream, m, Residual::apart);
    }
    {
      INFO("one shot, " << name);
      choose_way(rank, "one_shot", "scatter, " + name, [&] { scatter.call(stream, {.m = m}); });
      CHECK(scatter.wrong({.m = m}) == 0);
      check_everything(scatter, stream, m, any);
    }
    if (workspace->parts().nccl.problem().empty()) {
      INFO("separate, " << name);
      choose_way(rank, "separate", "gather, " + name, [&] { gather.call(stream, {.m = m}); });
      choose_way(rank, "separate", "scatter, " + name, [&] { scatter.call(stream, {.m = m}); });
      CHECK(gather.wrong({.m = m}) == 0);
      CHECK(scatter.wrong({.m = m}) == 0);
      check_everything(gather, stream, m, nothing);
      check_everything(scatter, stream, m, any);
    }
    CHECK(workspace->failure().empty());
  }
}

TEST_CASE("layers: one object and workspace serve any number of rows, eager and replayed, by each way",
          "[layers]") {
  ONLY_IF(on_all_ranks(has_gpu()));
  const Rank rank;
  const Stream stream;
  constexpr int most = 1030;
  const auto workspace = workspace_for(rank, most);
  ONLY_IF(workspace != nullptr);
  Gather gather(rank, workspace, most, GemmType::bf16);
  Scatter scatter(rank, workspace, most, GemmType::bf16);
  constexpr int rows[] = {1, 3, 130, 513, 777, most};
  check_any_rows(gather, stream, rows);
  check_any_rows(scatter, stream, rows);
  // Chosen with one number of rows for all of its bucket.
  constexpr int of_bucket[] = {513, 777, 1024};
  choose_way(rank, "one_shot", "rows, scatter", [&] { scatter.call(stream, {.m = 900}); });
  CHECK(scatter.wrong({.m = 900}) == 0);
  check_any_rows(scatter, stream, of_bucket);
  if (workspace->parts().nccl.problem().empty()) {
    choose_way(rank, "separate", "rows, gather", [&] { gather.call(stream, {.m = 900}); });
    choose_way(rank, "separate", "rows, scatter", [&] { scatter.call(stream, {.m = 900}); });
    CHECK(gather.wrong({.m = 900}) == 0);
    CHECK(scatter.wrong({.m = 900}) == 0);
    check_any_rows(gather, stream, of_bucket);
    check_any_rows(scatter, stream, of_bucket);
  }
  CHECK(workspace->failure().empty());
}

TEST_CASE("layers: a gated product of gathered rows, for any number of rows, by both ways",
          "[layers][gated]") {
  ONLY_IF(on_all_ranks(has_gpu()));
  const Rank rank;
  const Stream stream;
  constexpr int most = 1030;
  const auto workspace = workspace_for(rank, most);
  ONLY_IF(workspace != nullptr);
  for (const auto type : {GemmType::fp16, GemmType::bf16}) {
    GatedGather gather(rank, workspace, most, type);
    CAPTURE(static_cast<int>(type));
    check_tiles(gather, stream, 259, Residual::none);
    constexpr int rows[] = {1, 130, 513, most};
    check_any_rows(gather, stream, rows);
    if (workspace->parts().nccl.problem().empty()) {
      choose_way(rank, "separate", type == GemmType::fp16 ? "gated, fp16" : "gated, bf16",
                 [&] { gather.call(stream, {.m = 900, .activation = Activation::silu}); });
      CHECK(gather.wrong({.m = 900, .activation = Activation::silu}) == 0);
      constexpr int of_bucket[] = {513, 900};
      check_any_rows(gather, stream, of_bucket);
    }
  }
  GatedGather gather(rank, workspace, most, GemmType::bf16);
  if (rank.count > 1) {
    check_failed_call(gather, rank, *workspace, stream);
  }
  CHECK(workspace->failure().empty());
}

TEST_CASE("layers: all numbers of rows of a bucket are one problem with the same candidates", "[layers]") {
  ONLY_IF(on_all_ranks(has_gpu()));
  const Rank rank;
  const auto workspace = workspace_for(rank, 1030);
  ONLY_IF(workspace != nullptr);
  const std::array<GatheredProduct, 1> products{{{.n = n}}};
  const auto gather_of = [&](int m) {
    return GemmGatherArgs{&workspace->parts(), products, {m, n, k, GemmType::bf16}};
  };
  const auto scatter_of = [&](int m) {
    return GemmScatterArgs{&workspace->parts(), {m, n, k, GemmType::bf16}, {}};
  };
  for (const int m : {3, 65, 129, 257, 513, 1025}) {
    const int bucket = bucket_of(m);
    CAPTURE(m, bucket);
    CHECK(gemm_gather().key(nullptr, gather_of(m)) == gemm_gather().key(nullptr, gather_of(bucket)));
    CHECK(gemm_scatter().key(nullptr, scatter_of(m)) == gemm_scatter().key(nullptr, scatter_of(bucket)));
    for (std::size_t id = 0; id < gemm_gather().space().size(); ++id) {
      CHECK(gemm_gather().keeps(id, nullptr, gather_of(m)) ==
            gemm_gather().keeps(id, nullptr, gather_of(bucket)));
    }
    for (std::size_t id = 0; id < gemm_scatter().space().size(); ++id) {
      CHECK(gemm_scatter().keeps(id, nullptr, scatter_of(m)) ==
            gemm_scatter().keeps(id, nullptr, scatter_of(bucket)));
    }
  }
}

TEST_CASE("layers: a failed call fills its own result with NaN, and nothing around it", "[layers]") {
  ONLY_IF(on_all_ranks(has_gpu()));
  const Rank rank;
  const Stream stream;
  const auto workspace = workspace_for(rank, 257, {.wait_budget = std::chrono::seconds(1)});
  ONLY_IF(rank.count >= 2 && workspace != nullptr);
  gemm_gather().load();  // no rank waits for another one's compiler
  gemm_scatter().load();
  Gather gather(rank, workspace, 257, GemmType::fp16);
  Scatter scatter(rank, workspace, 257, GemmType::fp16);
  check_failed_call(gather, rank, *workspace, stream);
  check_failed_call(scatter, rank, *workspace, stream);
  const auto patient = workspace_for(rank, 257);
  Scatter tuned(rank, patient, 257, GemmType::fp16);
  choose_way(rank, "one_shot", "that fails", [&] { tuned.call(stream, {.m = 101}); });
  Scatter one_shot(rank, workspace, 257, GemmType::fp16);
  check_failed_call(one_shot, rank, *workspace, stream);
}

TEST_CASE("layers: more rows than the shape has, and pitches that do not fit, are invalid arguments",
          "[layers]") {
  ONLY_IF(on_all_ranks(has_gpu()));
  const Rank rank;
  const auto workspace = workspace_for(rank, 64);
  ONLY_IF(workspace != nullptr);
  AllGatherGemm gather(workspace, {64, n, k, GemmType::bf16});
  GemmReduceScatter scatter(workspace, {64, n, k, GemmType::bf16});
  alignas(16) static char memory[32];
  CHECK_THROWS_AS(gather.own_rows(65), InvalidArgument);
  CHECK_THROWS_AS(gather.input(-1), InvalidArgument);
  CHECK_THROWS_AS(gather(nullptr, {.a_rows = memory, .m = 65}, {.b = memory, .c = memory}), InvalidArgument);
  CHECK_THROWS_AS(gather(nullptr, {.a_rows = memory, .pitch = k + 4}, {.b = memory, .c = memory}),
                  InvalidArgument);
  CHECK_THROWS_AS(gather(nullptr, {.a_rows = memory}, {.b = memory, .c = memory, .pitch = n - 8}),
                  InvalidArgument);
  CHECK_THROWS_AS(scatter(nullptr, {.a = memory, .b = memory, .c_rows = memory, .m = 65}), InvalidArgument);
  CHECK_THROWS_AS(gather(nullptr, {.a_rows = memory}, {.b = memory, .c = gather.input()}), InvalidArgument);
  CHECK_THROWS_AS(scatter(nullptr, {.a = gather.gathered(), .b = memory, .c_rows = memory}), InvalidArgument);
  if (rank.number == 1) {
    CHECK_THROWS_AS(gather(nullptr, {.a_rows = gather.input(), .m = 30}, {.b = memory, .c = memory}),
                    InvalidArgument);
  }
  CHECK_THROWS_AS(gather(nullptr, {.a_rows = gather.input(), .pitch = k + 8}, {.b = memory, .c = memory}),
                  InvalidArgument);
  CHECK_THROWS_AS(
      scatter(nullptr,
              {.a = memory, .b = memory, .c_rows = memory, .residual = memory, .residual_pitch = n + 8}),
      InvalidArgument);
  CHECK_THROWS_AS(
      scatter(nullptr, {.a = memory, .b = memory, .c_rows = memory, .residual = memory, .residual_pitch = 8}),
      InvalidArgument);
  CHECK_THROWS_AS(scatter(nullptr, {.a = memory, .b = memory, .c_rows = memory, .bias = memory + 2}),
                  InvalidArgument);
}

}  // namespace contextual::test::gpu_test::region_layers_test
