// The all-gather GEMM of 8-bit values, whose rows' scales come with them.

#include "gpu/fp8_scales.hpp"
#include "gpu/gathered_problem.hpp"
#include "gpu/gpu_rank.hpp"
#include "gpu/kernel_support.hpp"
#include "gpu/region_workspace.hpp"
#include "kernels/cuda/gemm_gather.hpp"
#include "support/catch.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/error.hpp>

#include <cuda_fp8.h>

namespace contextual::test::gpu_test::allgather_fp8_test {

using namespace kernels::cuda;

namespace {

std::size_t size(int rows, int columns) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
}

constexpr int scale_block = 128;

constexpr int blocks_of(int count) {
  return (count + scale_block - 1) / scale_block;
}

/// Values of e4m3, with what they are.
struct Fp8Values {
  std::vector<std::uint8_t> bits;
  std::vector<float> values;

  /// Within a quarter, so that rounding of long sums is small beside 1.
  Fp8Values(std::size_t count, unsigned seed) : bits(count), values(count) {
    std::mt19937 generator(seed);
    for (std::size_t i = 0; i < count; ++i) {
      const __nv_fp8_e4m3 rounded(0x1p-33F * static_cast<float>(generator()) - 0.25F);
      bits[i] = rounded.__x;
      values[i] = static_cast<float>(rounded);
    }
  }
};

/// Several sets of data for one shape, with C = silu(A B^T a_scale b_scale), where scales of blocks belong to
/// parts of the sum.
class Fp8Problem {
 public:
  Fp8Problem(const Rank& rank, const AllGatherGemmShape& shape, int sets)
      : shape_(shape),
        rows_(kernels::RowPartition(shape.m, rank.count).shard(rank.number)),
        b_(size(shape.n, shape.k), 1000U + static_cast<unsigned>(rank.number)),
        blocks_(shape.fp8 == Fp8Scaling::block ? blocks_of(shape.k) : 1),
        b_scales_(scales(std::max(shape.n, blocks_of(shape.n) * blocks_),
                         2000U + static_cast<unsigned>(rank.number))),
        on_b_(b_.bits),
        on_b_scales_(b_scales_),
        c_(size(shape.m, shape.n)),
        wrong_(std::vector<unsigned>{0}) {
    for (int set = 0; set < sets; ++set) {
      sets_.push_back(make(static_cast<unsigned>(set)));
    }
    compare_kernel().load();
  }

  int sets() const { return static_cast<int>(sets_.size()); }
  GatheredRows rows(int set) const {
    const Data& data = sets_[static_cast<std::size_t>(set)];
    return {.a_rows = data.rows->get(), .m = shape_.m, .scales = data.scales->get()};
  }
  GatheredProduct product() const {
    return {.b = on_b_.get(),
            .c = c_.get(),
            .n = shape_.n,
            .activation = Activation::silu,
            .b_scale = on_b_scales_.get()};
  }

  void check_later(cudaStream_t stream, int set) {
    const bool bf16 = shape_.type == GemmType::bf16;
    compare_kernel().launch_config(0, stream, c_.get(), sets_[static_cast<std::size_t>(set)].expected->get(),
                                   wrong_.get(), static_cast<long long>(size(shape_.m, shape_.n)),
                                   bf16 ? 1e-2F : 4e-3F, bf16);
  }
  /// Returns how many elements were wrong so far. Waits for the device.
  unsigned wrong() const { return wrong_.host().at(0); }

 private:
  struct Data {
    std::unique_ptr<DeviceArray<std::uint8_t>> rows;
    std::unique_ptr<DeviceArray<float>> scales;
    std::unique_ptr<DeviceArray<float>> expected;
  };

  Data make(unsigned seed) const {
    const bool each = shape_.fp8 != Fp8Scaling::tensor;
    const Fp8Values a(size(shape_.m, shape_.k), seed);
    const std::vector<float> a_scales = scales(blocks_ * shape_.m, 3000U + seed);  // by block of k
    const int k_of_scale = blocks_ > 1 ? scale_block : shape_.k;
    std::vector<float> expected(size(shape_.m, shape_.n));
    for (int row = 0; row < shape_.m; ++row) {
      for (int column = 0; column < shape_.n; ++column) {
        float scaled = 0;
        for (int block = 0; block < blocks_; ++block) {
          float sum = 0;
          for (int i = block * k_of_scale; i < std::min(shape_.k, (block + 1) * k_of_scale); ++i) {
            sum += a.values[size(row, shape_.k) + static_cast<std::size_t>(i)] *
                   b_.values[size(column, shape_.k) + static_cast<std::size_t>(i)];
          }
          scaled += sum * a_scales[each ? size(block, shape_.m) + static_cast<std::size_t>(row) : 0] *
                    b_scales_[b_scale_of(column, block)];
        }
        expected[size(row, shape_.n) + static_cast<std::size_t>(column)] = scaled / (1 + std::exp(-scaled));
      }
    }
    const auto part = [&](const auto& all, int columns) {
      const auto begin = static_cast<std::ptrdiff_t>(size(rows_.begin, columns));
      const auto end = static_cast<std::ptrdiff_t>(size(rows_.end, columns));
      return std::vector(all.begin() + begin, all.begin() + end);
    };
    Data data;
    data.rows = std::make_unique<DeviceArray<std::uint8_t>>(part(a.bits, shape_.k));
    std::vector<float> own_scales;
    for (int block = 0; block < blocks_; ++block) {
      const auto all = a_scales.begin() + static_cast<std::ptrdiff_t>(size(block, shape_.m));
      own_scales.insert(own_scales.end(), all + rows_.begin, all + rows_.end);
    }
    data.scales = std::make_unique<DeviceArray<float>>(each ? own_scales : a_scales);
    data.expected = std::make_unique<DeviceArray<float>>(expected);
    return data;
  }

  std::size_t b_scale_of(int column, int block) const {
    return shape_.fp8 == Fp8Scaling::block
               ? size(column / scale_block, blocks_) + static_cast<std::size_t>(block)
           : shape_.fp8 == Fp8Scaling::row ? static_cast<std::size_t>(column)
                                           : 0;
  }

  AllGatherGemmShape shape_;
  kernels::Rows rows_;
  Fp8Values b_;
  int blocks_;  // of k that have scales
  std::vector<float> b_scales_;
  DeviceArray<std::uint8_t> on_b_;
  DeviceArray<float> on_b_scales_;
  DeviceArray<std::uint16_t> c_;
  DeviceArray<unsigned> wrong_;
  std::vector<Data> sets_;
};

void gather_and_check(AllGatherGemm& layer, Fp8Problem& problem, cudaStream_t stream, int set) {
  layer(stream, problem.rows(set), problem.product());
  problem.check_later(stream, set);
}

constexpr Fp8Scaling scalings[] = {Fp8Scaling::block, Fp8Scaling::row, Fp8Scaling::tensor};

/// Of fp16, with all scalings.
std::vector<AllGatherGemmShape> shapes_of(const std::vector<int>& rows, int n, int k) {
  std::vector<AllGatherGemmShape> shapes;
  for (const int m : rows) {
    for (const Fp8Scaling scaling : scalings) {
      shapes.push_back({m, n, k, GemmType::fp16, scaling});
    }
  }
  return shapes;
}

/// The kernel of "overlapped".
GemmGather& gather_of(Fp8Scaling scaling) {
  return scaling == Fp8Scaling::block ? fp8_blocks_gather() : fp8_gather();
}

}  // namespace

TEST_CASE("all-gather GEMM of fp8: right without tuning, for any number of rows, in eager calls and replays",
          "[fp8][shapes]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  // Its k has an odd number of blocks, of which the last one is short.
  const AllGatherGemmShape largest{513, 136, 336, GemmType::fp16, Fp8Scaling::block};
  const auto workspace = region_workspace(rank, AllGatherGemm::workspace_bytes(largest));
  ONLY_IF(workspace != nullptr);
  for (const Fp8Scaling scaling : scalings) {
    AllGatherGemmShape shape = largest;
    shape.fp8 = scaling;
    AllGatherGemm layer(workspace, shape);
    for (const int m : {1, 127, 128, 513}) {
      CAPTURE(m, static_cast<int>(scaling));
      shape.m = m;
      poison(*workspace);
      Fp8Problem problem(rank, shape, 3);
      for (int round = 0; round < 9; ++round) {
        gather_and_check(layer, problem, stream, round % problem.sets());
      }
      Graph graph(stream, [&] { gather_and_check(layer, problem, stream, 1); });
      for (int replay = 0; replay < 5; ++replay) {
        graph.launch(stream);
        gather_and_check(layer, problem, stream, 2);
      }
      CHECK(problem.wrong() == 0);
      CHECK(workspace->failure().empty());
    }
  }
}

TEST_CASE("all-gather GEMM of fp8: both ways are right when tuned, in each iteration", "[fp8][tuned]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  for (const Fp8Scaling scaling : scalings) {
    const AllGatherGemmShape shape{1022, 392, 336, GemmType::bf16, scaling};
    const auto workspace = region_workspace(rank, AllGatherGemm::workspace_bytes(shape));
    ONLY_IF(workspace != nullptr);
    poison(*workspace);
    AllGatherGemm layer(workspace, shape);
    Fp8Problem problem(rank, shape, 2);
    ContextualAutotuner tuner(region_tuning(rank));
    int iteration = 0;
    tuner.run("allgather_fp8",
              [&] { gather_and_check(layer, problem, stream, iteration++ % problem.sets()); });
    const RegionReport region = tuner.report("allgather_fp8");
    INFO(region.choices_text());
    CHECK(iteration > 50);
    CHECK(problem.wrong() == 0);
    CHECK(region.problems.size() >= 2);  // the way, the kernel, and where there is NCCL that of "separate"
    for (const auto& tuned : region.problems) {
      CHECK(tuned.outcome == ProblemOutcome::locked_in);
      CHECK(same_on_all_ranks(tuned.choice));
    }
  }
}

TEST_CASE("all-gather GEMM of fp8: every config is right, in calls that follow each other",
          "[fp8][configs]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  // Of 510 rows each shard has tiles of its own; of 501 some tiles have rows of two.
  for (const AllGatherGemmShape& shape : shapes_of({510, 501}, 264, 656)) {
    const auto workspace = region_workspace(rank, AllGatherGemm::workspace_bytes(shape));
    ONLY_IF(workspace != nullptr);
    poison(*workspace);
    const AllGatherGemm layer(workspace, shape);
    Fp8Problem problem(rank, shape, 1);
    const GatheredRows rows = problem.rows(0);
    const GatheredProduct product = problem.product();
    const GemmGatherArgs args{&workspace->parts(), std::span(&product, 1), shape, rows.scales};
    const auto own = static_cast<std::size_t>(layer.own_rows().count());
    cuda_check(cudaMemcpy(layer.input(), rows.a_rows, own * static_cast<std::size_t>(shape.k),
                          cudaMemcpyDeviceToDevice));
    if (args.scales_rows()) {
      cuda_check(cudaMemcpy2D(args.scales_of(rank.number, rank.number),
                              static_cast<std::size_t>(args.scales_pitch()) * sizeof(float), rows.scales,
                              own * sizeof(float), own * sizeof(float),
                              static_cast<std::size_t>(scales_of_row(shape)), cudaMemcpyDeviceToDevice));
    }
    cuda_check(cudaDeviceSynchronize());
    const std::size_t step = rank.count > 4 ? 9 : 1;  // many ranks share their GPUs, which then take turns
    GemmGather& kernel = gather_of(*shape.fp8);
    for (std::size_t id = 0; id < kernel.space().size(); id += step) {
      INFO(shape.m << " rows, " << kernel.space().describe(id));
      for (int call = 0; call < 3; ++call) {
        REQUIRE(kernel.launch_config(id, stream, args) == CUDA_SUCCESS);
        problem.check_later(stream, 0);
      }
      CHECK(problem.wrong() == 0);
    }
    CHECK(workspace->failure().empty());
  }
}

TEST_CASE("all-gather GEMM of fp8: what does not fit is an invalid argument that is named", "[fp8]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  const AllGatherGemmShape shape{64, 64, 64, GemmType::bf16, Fp8Scaling::row};
  const auto workspace = region_workspace(rank, AllGatherGemm::workspace_bytes(shape));
  ONLY_IF(workspace != nullptr);
  AllGatherGemm layer(workspace, shape);
  const Fp8Problem problem(rank, shape, 1);
  const auto message = [&](const GatheredRows& rows, const GatheredProduct& product) {
    return error_text<InvalidArgument>([&] { layer(stream, rows, product); });
  };
  GatheredRows rows = problem.rows(0);
  rows.scales = nullptr;
  CHECK_THAT(message(rows, problem.product()), ContainsSubstring("scales of a must not be null"));
  rows = problem.rows(0);
  rows.pitch = 72;
  CHECK_THAT(message(rows, problem.product()), ContainsSubstring("not 64 and 72"));
  rows.pitch = 48;
  CHECK_THAT(message(rows, problem.product()), ContainsSubstring("not 64 and 48"));
  GatheredProduct product = problem.product();
  product.b_scale = nullptr;
  CHECK_THAT(message(problem.rows(0), product), ContainsSubstring("scales of b must not be null"));
  product = problem.product();
  product.gated = true;
  CHECK_THAT(message(problem.rows(0), product), ContainsSubstring("not of fp8"));
  for (const Fp8Scaling scaling : scalings) {
    CHECK_THROWS_AS(AllGatherGemm(workspace, {64, 64, 24, GemmType::bf16, scaling}), InvalidArgument);
  }
}

}  // namespace contextual::test::gpu_test::allgather_fp8_test
