/// \file
/// The gated product of an MLP in one kernel beside one and two products of cuBLASLt with a kernel for the
/// gate, each tuned, and beside the product of all weights alone by cuBLAS.

#include "cuda_common.hpp"
#include "cuda_cublas.hpp"
#include "cuda_turns.hpp"

#include <contextual/kernels/cuda/gated_mlp.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

using namespace contextual;
using namespace contextual::benchmarks;
using kernels::cuda::GatedMlpArgs;

Options only(const char* way) {
  return benchmarks::only("cuda_gated_mlp_implementations", way);
}

void compare_shape(const ProductShape& shape, const TurnSettings& settings) {
  const Stream stream;
  const Cublas cublas(stream);
  const RandomMatrix a(shape.m, shape.k, false, 1);
  const RandomMatrix weights(2 * shape.n, shape.k, false, 2);
  const Buffer<std::uint16_t> c(element_count(shape.m, shape.n));
  const Buffer<std::uint16_t> products(2 * c.size());
  const GatedMlpArgs args{.a = a.get(),
                          .weights = weights.get(),
                          .c = c.get(),
                          .m = shape.m,
                          .n = shape.n,
                          .k = shape.k,
                          .products = products.get()};
  const auto gated = [&] { kernels::cuda::gated_mlp_implementations(stream, args); };
  std::printf("\n%d x %d x %d\n", shape.m, shape.n, shape.k);
  Turns turns(stream);
  turns.tune("two products and a gate", gated, only("two_products"));
  const std::vector<std::uint16_t> expected = result_of(stream, c);
  turns.tune("one product and a gate", gated, only("one_product"));
  turns.tune("one kernel", gated, only("fused"));
  const double off = difference(result_of(stream, c), expected);
  turns.tune("tuned of all", gated);
  turns.add("the product alone, by cuBLAS", [&] {
    cublas.gemm(
        {.a = a.get(), .b = weights.get(), .c = products.get(), .m = shape.m, .n = 2 * shape.n, .k = shape.k},
        products.get());
  });
  turns.run(settings.rounds, settings.launches);
  require_less(off, 2e-2);  // three roundings to bf16
}

}  // namespace

int main(int argc, char** argv) {
  const TurnSettings settings{{"4096x14336x4096", "4096x28672x8192", "256x14336x4096"}};
  return compare_shapes(argc, argv, "The gated product of an MLP in one kernel; N is the intermediate size",
                        settings, compare_shape);
}
