/// \file
/// The all-gather GEMM of 8-bit values with scales of rows or of blocks on several GPUs, tuned, beside NCCL
/// and the same product one after the other, beside the same in bf16, and beside the product of rows that are
/// in place, alone. Sizes are of all ranks: N is split over them.

#include "cuda_common.hpp"
#include "cuda_cublas.hpp"
#include "cuda_fp8_values.hpp"
#include "cuda_turns.hpp"

#include <contextual/kernels/cuda/allgather_gemm.hpp>
#include <contextual/kernels/cuda/fp8_gemm.hpp>
#include <contextual/mpi.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

namespace {

using namespace contextual;
using namespace contextual::benchmarks;
using namespace contextual::kernels::cuda;

void compare(const ProductShape& all, const TurnSettings& settings, Fp8Scaling scaling,
             const std::shared_ptr<Communicator>& communicator) {
  const Stream stream;
  const int n = all.n / communicator->size();
  const AllGatherGemmShape wide{all.m, n, all.k};
  AllGatherGemmShape shape = wide;
  shape.fp8 = scaling;
  const bool blocks = scaling == Fp8Scaling::block;
  const auto workspace = std::make_shared<PeerWorkspace>(
      communicator, std::max(AllGatherGemm::workspace_bytes(wide), AllGatherGemm::workspace_bytes(shape)));
  AllGatherGemm layer(workspace, shape);
  AllGatherGemm wide_layer(workspace, wide);
  const int rows = layer.own_rows().count();
  const Buffer<std::uint8_t> a(
      random_fp8_values(element_count(all.m, all.k), 1));  // of which own rows are a part
  const Buffer<std::uint8_t> b(random_fp8_values(element_count(n, all.k), 2));
  const Buffer<float> a_scales(random_scales(all.m * (blocks ? blocks_of(all.k) : 1), 3));
  const Buffer<float> b_scales(random_scales(std::max(n, blocks_of(n) * blocks_of(all.k)), 4));
  const RandomMatrix wide_a(rows, all.k, false, 1);
  const RandomMatrix wide_b(n, all.k, false, 2);
  const Buffer<std::uint16_t> c(element_count(all.m, n));
  const auto region = [&] {
    layer(stream, {.a_rows = a.get(), .scales = a_scales.get()},
          {.b = b.get(), .c = c.get(), .b_scale = b_scales.get()});
  };
  if (communicator->rank() == 0) {
    std::printf("\nall-gather of fp8, scales of %ss: %d x %d x %d, %d ranks\n", blocks ? "block" : "row",
                all.m, all.n, all.k, communicator->size());
  }
  Turns turns(stream, communicator);
  turns.tune("overlapped", region, only("_ways", "overlapped"));
  turns.tune("NCCL, then the product", region, only("_ways", "separate"));
  turns.tune("bf16, tuned of both ways", [&] {
    wide_layer(stream, {wide_a.get()}, {wide_b.get(), c.get()});
  });
  Fp8Gemm& gemm = fp8_gemm(blocks ? Fp8Accumulation::blocks : Fp8Accumulation::fast);
  turns.tune("the product alone", [&] {
    gemm(stream, {.a = a.get(),
                  .b = b.get(),
                  .c = c.get(),
                  .m = all.m,
                  .n = n,
                  .k = all.k,
                  .a_scale = a_scales.get(),
                  .b_scale = b_scales.get(),
                  .scaling = scaling});
  });
  turns.tune("tuned of both", region);
  turns.run(settings.rounds, settings.launches);
}

}  // namespace

int main(int argc, char** argv) {
  const std::shared_ptr<Communicator> communicator = mpi_world();
  int devices = 0;
  CONTEXTUAL_CHECKED(cudaGetDeviceCount(&devices));
  CONTEXTUAL_CHECKED(cudaSetDevice(communicator->rank() % devices));
  TurnSettings settings{{"8192x14336x4096", "8192x28672x8192", "512x14336x4096", "4096x4096x4096"}};
  std::string scales = "rows";
  BenchmarkApp app{"The all-gather GEMM of 8-bit values on several GPUs"};
  app.add_option("--shapes", settings.shapes, "MxNxK, ...")->delimiter(',');
  app.add_option("--scales", scales, "rows or blocks")->check(CLI::IsMember({"rows", "blocks"}));
  add_turn_options(app, settings);
  return run_on_gpu(app, argc, argv, [&] {
    for (const std::string& shape : settings.shapes) {
      compare(ProductShape(shape), settings, scales == "rows" ? Fp8Scaling::row : Fp8Scaling::block,
              communicator);
    }
    return 0;
  });
}
