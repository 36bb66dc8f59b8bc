/// \file
/// The regions of a mixture of experts on several GPUs, tuned, beside NCCL and the same product one after the
/// other, and beside the product of rows that are in place, alone. Sizes are of all ranks: N is split over
/// them. Rows choose experts uniformly at random; the routing is prepared outside of the time.

#include "cuda_common.hpp"
#include "cuda_cublas.hpp"
#include "cuda_expert_shape.hpp"
#include "cuda_turns.hpp"

#include <contextual/kernels/cuda/allgather_moe.hpp>
#include <contextual/kernels/cuda/expert_routing.hpp>
#include <contextual/kernels/cuda/grouped_gemm.hpp>
#include <contextual/kernels/cuda/moe_reduce_scatter.hpp>
#include <contextual/kernels/row_partition.hpp>
#include <contextual/mpi.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace contextual;
using namespace contextual::benchmarks;
using namespace contextual::kernels::cuda;

void compare_allgather(const ExpertShape& all, const TurnSettings& settings,
                       const std::shared_ptr<Communicator>& communicator) {
  const Stream stream;
  const int ranks = communicator->size();
  const int n = all.n / ranks;
  const AllGatherMoeShape shape{all.m, n, all.k, all.experts, all.top_k};
  const auto workspace = std::make_shared<PeerWorkspace>(communicator, AllGatherMoe::workspace_bytes(shape));
  AllGatherMoe layer(workspace, shape);
  const kernels::Rows rows = layer.own_rows();
  const RandomMatrix own_rows(rows.count(), all.k, false, 1);
  const RandomMatrix in_place(all.m * all.top_k, all.k, false, 2);
  const RandomMatrix weights(all.experts * n, all.k, false, 3);
  const Buffer<std::uint16_t> c(static_cast<std::size_t>(all.m) * static_cast<std::size_t>(all.top_k * n));
  const Buffer<int> ids(random_ids(all));
  ExpertRouting routing(all.m, all.top_k, all.experts, {communicator->rank(), ranks});
  routing.prepare(stream, ids.get());
  stream.wait();
  const auto region = [&] {
    layer(stream, {own_rows.get()}, {.routing = &routing, .weights = weights.get(), .c = c.get()});
  };
  if (communicator->rank() == 0) {
    std::printf("\nall-gather: %d rows, %d x %d, %d experts, top %d, %d ranks\n", all.m, all.n, all.k,
                all.experts, all.top_k, ranks);
  }
  Turns turns(stream, communicator);
  turns.tune("overlapped", region, only("overlapped"));
  turns.tune("NCCL, then the product", region, only("separate"));
  turns.tune("tuned of both", region);
  turns.tune("the product alone", [&] {
    grouped_gemm()(stream, {.routing = &routing,
                            .a = in_place.get(),
                            .weights = weights.get(),
                            .c = c.get(),
                            .n = n,
                            .k = all.k,
                            .a_by_position = true});
  });
  turns.run(settings.rounds, settings.launches);
}

void compare_reduce_scatter(const ExpertShape& all, const TurnSettings& settings,
                            const std::shared_ptr<Communicator>& communicator) {
  const Stream stream;
  const int ranks = communicator->size();
  const int k = all.k / ranks;
  const MoeReduceScatterShape shape{all.m, all.n, k, all.experts, all.top_k};
  const auto workspace =
      std::make_shared<PeerWorkspace>(communicator, MoeReduceScatter::workspace_bytes(shape, ranks));
  MoeReduceScatter layer(workspace, shape);
  const int positions = all.m * all.top_k;
  const RandomMatrix a(positions, k, false, 1);
  const RandomMatrix weights(all.experts * all.n, k, false, 3);
  const auto columns = static_cast<std::size_t>(all.n);
  const Buffer<std::uint16_t> products(static_cast<std::size_t>(positions) * columns);
  const Buffer<std::uint16_t> c_rows(static_cast<std::size_t>(layer.own_rows().count()) * columns);
  const Buffer<int> ids(random_ids(all));
  const Buffer<float> factors(std::vector<float>(ids.size(), 0.25F));
  ExpertRouting routing(all.m, all.top_k, all.experts, {communicator->rank(), ranks});
  routing.prepare(stream, ids.get());
  stream.wait();
  const auto region = [&] {
    layer(stream, {.routing = &routing,
                   .topk_weights = factors.get(),
                   .a = a.get(),
                   .weights = weights.get(),
                   .c_rows = c_rows.get()});
  };
  if (communicator->rank() == 0) {
    std::printf("\nreduce-scatter: %d rows, %d x %d, %d experts, top %d, %d ranks\n", all.m, all.n, all.k,
                all.experts, all.top_k, ranks);
  }
  Turns turns(stream, communicator);
  turns.tune("overlapped", region, only("overlapped"));
  turns.tune("the product and the sum, then NCCL", region, only("separate"));
  turns.tune("tuned of both", region);
  turns.tune("the product alone", [&] {
    grouped_gemm()(stream, {.routing = &routing,
                            .a = a.get(),
                            .weights = weights.get(),
                            .c = products.get(),
                            .n = all.n,
                            .k = k,
                            .a_by_position = true});
  });
  turns.run(settings.rounds, settings.launches);
}

}  // namespace

int main(int argc, char** argv) {
  TurnSettings settings{
      {"8192x1408x2048x60x4", "8192x4096x14336x8x2", "8192x2048x1408x64x6", "8192x14336x4096x8x2"}};
  CLI::App app{"The regions of a mixture of experts on several GPUs"};
  std::vector<std::string> sums{"8192x2048x1536x32x2", "8192x4096x14336x8x2", "8192x2048x1408x60x4"};
  app.add_option("--shapes", settings.shapes, "of the all-gather: MxNxKxEXPERTSxTOP_K, ...")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--sums", sums, "of the reduce-scatter")->delimiter(',')->capture_default_str();
  add_turn_options(app, settings);
  const std::shared_ptr<Communicator> communicator = mpi_world();
  int devices = 0;
  CONTEXTUAL_CHECKED(cudaGetDeviceCount(&devices));
  CONTEXTUAL_CHECKED(cudaSetDevice(communicator->rank() % devices));
  return run_program(app, argc, argv, [&] {
    for (const std::string& shape : settings.shapes) {
      compare_allgather(expert_shape(shape), settings, communicator);
    }
    for (const std::string& shape : sums) {
      compare_reduce_scatter(expert_shape(shape), settings, communicator);
    }
    return 0;
  });
}
