/// \file
/// The products of a mixture of experts: rows by index in the kernel, beside the same product of rows that
/// are in place, the routing, and the sum over experts. Rows choose experts uniformly at random.

#include "cuda_common.hpp"
#include "cuda_cublas.hpp"
#include "cuda_expert_shape.hpp"
#include "cuda_turns.hpp"

#include <contextual/kernels/cuda/expert_routing.hpp>
#include <contextual/kernels/cuda/grouped_gemm.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using namespace contextual;
using namespace contextual::benchmarks;
using kernels::cuda::ExpertRouting;
using kernels::cuda::GroupedGemmArgs;

void compare_shape(const ExpertShape& shape, const TurnSettings& settings) {
  const Stream stream;
  const int positions = shape.m * shape.top_k;
  const RandomMatrix by_row(shape.m, shape.k, false, 1);
  const RandomMatrix by_position(positions, shape.k, false, 2);
  const RandomMatrix weights(shape.experts * shape.n, shape.k, false, 3);
  const Buffer<std::uint16_t> c(element_count(positions, shape.n));
  const Buffer<std::uint16_t> out(element_count(shape.m, shape.n));
  const Buffer<int> ids(random_ids(shape));
  const Buffer<float> factors(std::vector<float>(ids.size(), 0.25F));
  ExpertRouting routing(shape.m, shape.top_k, shape.experts);
  routing.prepare(stream, ids.get());
  GroupedGemmArgs args{.routing = &routing,
                       .a = by_row.get(),
                       .weights = weights.get(),
                       .c = c.get(),
                       .n = shape.n,
                       .k = shape.k};
  std::printf("\n%d rows, %d x %d, %d experts, top %d\n", shape.m, shape.n, shape.k, shape.experts,
              shape.top_k);
  Turns turns(stream);
  turns.add("routing", [&] { routing.prepare(stream, ids.get()); });
  turns.tune("sum over experts", [&] {
    kernels::cuda::expert_sum()(
        stream,
        {.routing = &routing, .topk_weights = factors.get(), .y = c.get(), .out = out.get(), .n = shape.n});
  });
  turns.tune("rows by index", [&stream, args] { kernels::cuda::grouped_gemm()(stream, args); });
  args.a = by_position.get();
  args.a_by_position = true;
  turns.tune("rows in place", [&stream, args] { kernels::cuda::grouped_gemm()(stream, args); });
  turns.run(settings.rounds, settings.launches);
}

}  // namespace

int main(int argc, char** argv) {
  const TurnSettings settings{
      {"8192x704x2048x60x4", "8192x2048x14336x8x2", "8192x1024x1408x64x6", "8192x7168x4096x8x2"}};
  return compare_shapes<ExpertShape>(argc, argv, "The products of a mixture of experts on one GPU", settings,
                                     compare_shape);
}
