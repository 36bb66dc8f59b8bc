/// \file
/// The all-gather GEMM of 8-bit values with scales of rows on several GPUs, tuned, beside NCCL and the same
/// product one after the other, beside the same in bf16, and beside the product of rows that are in place,
/// alone. Sizes are of all ranks: N is split over them.

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

namespace {

using namespace contextual;
using namespace contextual::benchmarks;
using namespace contextual::kernels::cuda;

void compare(const ProductShape& all, const TurnSettings& settings,
             const std::shared_ptr<Communicator>& communicator) {
  const Stream stream;
  const int n = all.n / communicator->size();
  const AllGatherGemmShape wide{all.m, n, all.k};
  AllGatherGemmShape shape = wide;
  shape.fp8 = Fp8Scaling::row;
  const auto workspace = std::make_shared<PeerWorkspace>(
      communicator, std::max(AllGatherGemm::workspace_bytes(wide), AllGatherGemm::workspace_bytes(shape)));
  AllGatherGemm layer(workspace, shape);
  AllGatherGemm wide_layer(workspace, wide);
  const int rows = layer.own_rows().count();
  const Buffer<std::uint8_t> a(
      random_fp8_values(element_count(all.m, all.k), 1));  // of which own rows are a part
  const Buffer<std::uint8_t> b(random_fp8_values(element_count(n, all.k), 2));
  const Buffer<float> a_scales(random_scales(all.m, 3));
  const Buffer<float> b_scales(random_scales(n, 4));
  const RandomMatrix wide_a(rows, all.k, false, 1);
  const RandomMatrix wide_b(n, all.k, false, 2);
  const Buffer<std::uint16_t> c(element_count(all.m, n));
  const auto region = [&] {
    layer(stream, {.a_rows = a.get(), .scales = a_scales.get()},
          {.b = b.get(), .c = c.get(), .b_scale = b_scales.get()});
  };
  if (communicator->rank() == 0) {
    std::printf("\nall-gather of fp8: %d x %d x %d, %d ranks\n", all.m, all.n, all.k, communicator->size());
  }
  Turns turns(stream, communicator);
  turns.tune("overlapped", region, only("_ways", "overlapped"));
  turns.tune("NCCL, then the product", region, only("_ways", "separate"));
  turns.tune("bf16, tuned of both ways", [&] {
    wide_layer(stream, {wide_a.get()}, {wide_b.get(), c.get()});
  });
  turns.tune("the product alone", [&] {
    fp8_gemm()(stream, {.a = a.get(),
                        .b = b.get(),
                        .c = c.get(),
                        .m = all.m,
                        .n = n,
                        .k = all.k,
                        .a_scale = a_scales.get(),
                        .b_scale = b_scales.get(),
                        .scaling = Fp8Scaling::row});
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
  const TurnSettings settings{{"8192x14336x4096", "8192x28672x8192", "512x14336x4096", "4096x4096x4096"}};
  return compare_shapes(
      argc, argv, "The all-gather GEMM of 8-bit values on several GPUs", settings,
      [&](const ProductShape& shape, const TurnSettings& of_run) { compare(shape, of_run, communicator); });
}
