/// \file
/// The gated product of an MLP in one kernel beside one and two products of cuBLASLt with a kernel for the
/// gate, each tuned, and beside the product of all weights alone by cuBLAS.

#include "cuda_common.hpp"
#include "cuda_cublas.hpp"
#include "cuda_turns.hpp"

#include <contextual/kernels/cuda/gated_mlp.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace contextual;
using namespace contextual::benchmarks;
using kernels::cuda::GatedMlpArgs;

/// The choice falls on this way.
Options only(const char* way) {
  Options options;
  options.feasible = [way](std::span<const AssignedConfig> configs) {
    return std::all_of(configs.begin(), configs.end(), [way](const AssignedConfig& config) {
      return config.kernel != "cuda_gated_mlp_implementations" || config.config == nullptr ||
             config.config->get<std::string>("alternative") == way;
    });
  };
  return options;
}

void compare_shape(const ProductShape& shape, const TurnSettings& settings) {
  const Stream stream;
  const Cublas cublas(stream);
  const RandomMatrix a(shape.m, shape.k, false, 1);
  const RandomMatrix weights(2 * shape.n, shape.k, false, 2);
  const Buffer<std::uint16_t> c(static_cast<std::size_t>(shape.m) * static_cast<std::size_t>(shape.n));
  const Buffer<std::uint16_t> products(2 * c.size());
  const GatedMlpArgs args{.a = a.get(),
                          .weights = weights.get(),
                          .c = c.get(),
                          .m = shape.m,
                          .n = shape.n,
                          .k = shape.k,
                          .products = products.get()};
  const auto gated = [&] { kernels::cuda::gated_mlp_implementations(stream, args); };
  const auto result = [&] {
    stream.wait();
    return c.download(0, std::min<std::size_t>(c.size(), 1 << 20));
  };
  std::printf("\n%d x %d x %d\n", shape.m, shape.n, shape.k);
  Turns turns(stream);
  turns.tune("two products and a gate", gated, only("two_products"));
  const std::vector<std::uint16_t> expected = result();
  turns.tune("one product and a gate", gated, only("one_product"));
  turns.tune("one kernel", gated, only("fused"));
  const double off = difference(result(), expected);
  turns.tune("tuned of all", gated);
  turns.add("the product alone, by cuBLAS", [&] {
    cublas.gemm(
        {.a = a.get(), .b = weights.get(), .c = products.get(), .m = shape.m, .n = 2 * shape.n, .k = shape.k},
        products.get());
  });
  turns.run(settings.rounds, settings.launches);
  if (!(off < 2e-2)) {  // three roundings to bf16
    throw std::runtime_error("the results differ by " + std::to_string(off));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const TurnSettings settings{{"4096x14336x4096", "4096x28672x8192", "256x14336x4096"}};
  return compare_shapes(argc, argv, "The gated product of an MLP in one kernel; N is the intermediate size",
                        settings, compare_shape);
}
