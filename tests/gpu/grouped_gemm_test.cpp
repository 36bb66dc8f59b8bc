// Routing of rows to experts, products of the experts, and the sums of the rows.

#include "gpu/epilogue_reference.hpp"
#include "gpu/expert_reference.hpp"
#include "gpu/kernel_support.hpp"
#include "support/catch.hpp"

#include <contextual/error.hpp>
#include <contextual/kernels/cuda/expert_routing.hpp>
#include <contextual/kernels/cuda/grouped_gemm.hpp>

namespace contextual::test::gpu_test::grouped_gemm_test {

namespace {

using namespace kernels::cuda;

/// What is compared is that of pairs that choose an expert; by position otherwise.
std::vector<int> rows_by_position(const ExpertIds& ids) {
  std::vector<int> rows(static_cast<std::size_t>(ids.offsets().back()));
  const std::vector<int> positions = ids.positions();
  for (std::size_t pair = 0; pair < positions.size(); ++pair) {
    if (positions[pair] >= 0) {
      rows[static_cast<std::size_t>(positions[pair])] = static_cast<int>(pair) / ids.top_k;
    }
  }
  return rows;
}

void check_tables(const ExpertRouting& routing, const ExpertIds& ids) {
  const auto host = [](const int* memory, std::size_t count) {
    std::vector<int> values(count);
    cuda_check(cudaDeviceSynchronize());
    cuda_check(cudaMemcpy(values.data(), memory, count * sizeof(int), cudaMemcpyDeviceToHost));
    return values;
  };
  CHECK(host(routing.offsets(), static_cast<std::size_t>(ids.experts) + 1) == ids.offsets());
  CHECK(host(routing.positions(), ids.ids.size()) == ids.positions());
  const std::vector<int> rows = rows_by_position(ids);
  CHECK(host(routing.row_of_position(), rows.size()) == rows);
}

/// Experts' products of one routing: n and k that no tile divides.
class Problem {
 public:
  Problem(bool bf16, ExpertIds its_ids)
      : ids(std::move(its_ids)),
        routing(ids.rows, ids.top_k, ids.experts),
        half_{bf16},
        on_device_(ids.ids),
        by_row_(half_, ids.rows, k, 1),
        by_position_(half_, ids.rows * ids.top_k, k, 2),
        weights_(half_, ids.experts * 2 * n, k, 3),
        c_(half_, ids.rows * ids.top_k, n) {
    routing.prepare(nullptr, on_device_.get());
    cuda_check(cudaDeviceSynchronize());  // no stream here waits for the default one
    const std::vector<int> rows = rows_by_position(ids);
    const std::vector<int> offsets = ids.offsets();
    int expert = 0;
    for (int position = 0; position < static_cast<int>(rows.size()); ++position) {
      while (position >= offsets[static_cast<std::size_t>(expert) + 1]) {
        ++expert;
      }
      places_.push_back({rows[static_cast<std::size_t>(position)], expert});
    }
  }

  GroupedGemmArgs args(bool a_by_position, Activation activation) const {
    return {.routing = &routing,
            .a = a_by_position ? by_position_.row(0) : by_row_.row(0),
            .weights = weights_.row(0),
            .c = c_.get(),
            .n = n,
            .k = k,
            .type = half_.bf16 ? GemmType::bf16 : GemmType::fp16,
            .a_by_position = a_by_position,
            .activation = activation};
  }
  /// Of the last launch with these arguments.
  std::size_t wrong(bool a_by_position, Activation activation, bool gated) {
    return c_.wrong(static_cast<int>(places_.size()), false, [&](int position, int column) {
      const Place& place = places_[static_cast<std::size_t>(position)];
      const HalfMatrix& a = a_by_position ? by_position_ : by_row_;
      const int row = a_by_position ? position : place.row;
      const int of_expert = place.expert * (gated ? 2 * n : n);
      const double gate = dot(a, row, of_expert + column);
      const double up = gated ? dot(a, row, of_expert + n + column) : 1;
      const double expected = activated(activation, gate) * up;
      return ExpectedValue{expected, 1.01 * half_.rounding() * std::abs(expected) + 1e-4};
    });
  }

  static constexpr int n = 136;
  static constexpr int k = 200;
  ExpertIds ids;
  ExpertRouting routing;

 private:
  struct Place {
    int row;
    int expert;
  };

  double dot(const HalfMatrix& a, int row, int of_weights) const {
    double sum = 0;
    for (int i = 0; i < k; ++i) {
      sum += a.value(row, i) * weights_.value(of_weights, i);
    }
    return sum;
  }

  Half half_;
  DeviceArray<int> on_device_;
  HalfMatrix by_row_;
  HalfMatrix by_position_;
  HalfMatrix weights_;
  ResultMemory c_;
  std::vector<Place> places_;  // by position
};

}  // namespace

TEST_CASE("expert routing: what does not fit is an invalid argument that is named", "[unit]") {
  CHECK_THROWS_WITH(ExpertRouting(4, 2, 513), ContainsSubstring("experts from 1 to 512"));
  CHECK_THROWS_WITH(ExpertRouting(0, 2, 8), ContainsSubstring("at least 1"));
  CHECK_THROWS_WITH(grouped_gemm()(nullptr, GroupedGemmArgs{}),
                    ContainsSubstring("cuda_grouped_gemm: routing must not be null"));
  CHECK_THROWS_WITH(expert_sum()(nullptr, ExpertSumArgs{}),
                    ContainsSubstring("cuda_expert_sum: routing must not be null"));
}

TEST_CASE("expert routing: positions go by expert, row and place, whatever is chosen") {
  ONLY_IF(has_gpu());
  for (const ExpertIds& ids :
       {ExpertIds::random(1, 1, 1, 1), ExpertIds::random(1, 8, 512, 2), ExpertIds::random(7, 2, 8, 3, 3),
        ExpertIds::random(1000, 4, 60, 4), ExpertIds::random(8192, 8, 512, 5, 5),
        ExpertIds::all_to(3, 700, 2, 8), ExpertIds::all_to(-1, 300, 2, 8), ExpertIds::all_to(8, 10, 2, 8)}) {
    CAPTURE(ids.rows, ids.top_k, ids.experts);
    const DeviceArray<int> on_device(ids.ids);
    ExpertRouting routing(ids.rows, ids.top_k, ids.experts);
    routing.prepare(nullptr, on_device.get());
    check_tables(routing, ids);
    routing.prepare(nullptr, on_device.get());
    check_tables(routing, ids);
  }
}

TEST_CASE("expert routing: a replayed graph follows the ids that are there then") {
  ONLY_IF(has_gpu());
  const Stream stream;
  const DeviceArray<int> on_device(std::vector<int>(400, -1));
  ExpertRouting routing(200, 2, 16);
  const Graph graph(stream, [&] { routing.prepare(stream, on_device.get()); });
  for (const unsigned seed : {1U, 2U}) {
    const ExpertIds ids = ExpertIds::random(200, 2, 16, seed);
    cuda_check(
        cudaMemcpy(on_device.get(), ids.ids.data(), ids.ids.size() * sizeof(int), cudaMemcpyHostToDevice));
    graph.launch(stream);
    stream.wait();
    check_tables(routing, ids);
  }
}

TEST_CASE("grouped GEMM: every routing, both types, A by row and by position") {
  ONLY_IF(has_gpu());
  const Stream stream;
  for (const bool bf16 : {true, false}) {
    for (const ExpertIds& ids : {ExpertIds::random(1, 2, 8, 1), ExpertIds::random(7, 2, 8, 2, 3),
                                 ExpertIds::random(127, 3, 5, 3), ExpertIds::random(333, 4, 60, 4, 4),
                                 ExpertIds::all_to(2, 200, 1, 4), ExpertIds::all_to(-1, 200, 1, 4)}) {
      Problem problem(bf16, ids);
      for (const bool a_by_position : {false, true}) {
        CAPTURE(bf16, ids.rows, ids.top_k, ids.experts, a_by_position);
        REQUIRE(grouped_gemm().launch_config(0, stream, problem.args(a_by_position, Activation::none)) ==
                CUDA_SUCCESS);
        CHECK(problem.wrong(a_by_position, Activation::none, false) == 0);
        REQUIRE(grouped_gated_mlp().launch_config(0, stream, problem.args(a_by_position, Activation::silu)) ==
                CUDA_SUCCESS);
        CHECK(problem.wrong(a_by_position, Activation::silu, true) == 0);
      }
    }
  }
}

TEST_CASE("grouped GEMM: blocks take several tiles") {
  ONLY_IF(has_gpu());
  const Stream stream;
  Problem problem(true, ExpertIds::random(6000, 4, 60, 4, 6));
  for (const bool a_by_position : {false, true}) {
    CAPTURE(a_by_position);
    REQUIRE(grouped_gemm().launch_config(0, stream, problem.args(a_by_position, Activation::none)) ==
            CUDA_SUCCESS);
    CHECK(problem.wrong(a_by_position, Activation::none, false) == 0);
  }
}

TEST_CASE("grouped GEMM: every tile") {
  ONLY_IF(has_gpu());
  const Stream stream;
  Problem problem(true, ExpertIds::random(250, 3, 5, 3, 7));
  for (auto* const kernel : {&grouped_gemm(), &grouped_gated_mlp()}) {
    const bool gated = kernel == &grouped_gated_mlp();
    const Activation activation = gated ? Activation::gelu : Activation::relu;
    for (std::size_t id = 0; id < kernel->space().size(); ++id) {
      if (!is_plain(kernel->space()[id])) {
        continue;
      }
      INFO(kernel->space().describe(id));
      for (const bool a_by_position : {false, true}) {
        CAPTURE(gated, a_by_position);
        REQUIRE(kernel->launch_config(id, stream, problem.args(a_by_position, activation)) == CUDA_SUCCESS);
        CHECK(problem.wrong(a_by_position, activation, gated) == 0);
      }
    }
  }
}

TEST_CASE("expert sum: every config, in both types, with rows that choose no expert") {
  ONLY_IF(has_gpu());
  constexpr int n = 136;
  const Stream stream;
  for (const bool bf16 : {true, false}) {
    const Half half{bf16};
    const ExpertIds ids = ExpertIds::random(129, 3, 8, 6, 2);
    const std::vector<int> positions = ids.positions();
    const DeviceArray<int> on_device(ids.ids);
    ExpertRouting routing(ids.rows, ids.top_k, ids.experts);
    routing.prepare(stream, on_device.get());
    std::vector<float> weights(positions.size());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i] = 0.01F * static_cast<float>(i % 97) - 0.3F;
    }
    const DeviceArray<float> weights_on_device(weights);
    const HalfMatrix y(half, ids.rows * ids.top_k, n, 5);
    ResultMemory out(half, ids.rows, n);
    for (std::size_t id = 0; id < expert_sum().space().size(); ++id) {
      INFO(expert_sum().space().describe(id));
      REQUIRE(expert_sum().launch_config(id, stream,
                                         {.routing = &routing,
                                          .topk_weights = weights_on_device.get(),
                                          .y = y.row(0),
                                          .out = out.get(),
                                          .n = n,
                                          .type = bf16 ? GemmType::bf16 : GemmType::fp16}) == CUDA_SUCCESS);
      CHECK(out.wrong(ids.rows, false, [&](int row, int column) {
        double sum = 0;
        for (int place = 0; place < ids.top_k; ++place) {
          const std::size_t pair = element(row, place, ids.top_k);
          sum +=
              positions[pair] < 0 ? 0 : static_cast<double>(weights[pair]) * y.value(positions[pair], column);
        }
        return ExpectedValue{sum, half.rounding() * std::abs(sum) + 1e-6};
      }) == 0);
    }
  }
}

}  // namespace contextual::test::gpu_test::grouped_gemm_test
