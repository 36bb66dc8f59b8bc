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
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace contextual;
using namespace contextual::benchmarks;
using namespace contextual::kernels::cuda;

/// The region with each of its ways, and of both, beside the product alone.
void compare_ways(const char* what, const ExpertShape& all, const TurnSettings& settings,
                  const std::shared_ptr<Communicator>& communicator, const Stream& stream,
                  const std::function<void()>& region, const char* separate,
                  const std::function<void()>& product) {
  if (communicator->rank() == 0) {
    std::printf("\n%s: %d rows, %d x %d, %d experts, top %d, %d ranks\n", what, all.m, all.n, all.k,
                all.experts, all.top_k, communicator->size());
  }
  Turns turns(stream, communicator);
  turns.tune("overlapped", region, only("_ways", "overlapped"));
  turns.tune(separate, region, only("_ways", "separate"));
  turns.tune("tuned of both", region);
  turns.tune("the product alone", product);
  turns.run(settings.rounds, settings.launches);
}

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
  const Buffer<std::uint16_t> c(element_count(all.m, all.top_k * n));
  const Buffer<int> ids(random_ids(all));
  ExpertRouting routing(all.m, all.top_k, all.experts, {communicator->rank(), ranks});
  routing.prepare(stream, ids.get());
  stream.wait();
  const auto region = [&] {
    layer(stream, {own_rows.get()}, {.routing = &routing, .weights = weights.get(), .c = c.get()});
  };
  const auto product = [&] {
    grouped_gemm()(stream, {.routing = &routing,
                            .a = in_place.get(),
                            .weights = weights.get(),
                            .c = c.get(),
                            .n = n,
                            .k = all.k,
                            .a_by_position = true});
  };
  compare_ways("all-gather", all, settings, communicator, stream, region, "NCCL, then the product", product);
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
  const Buffer<std::uint16_t> products(element_count(positions, all.n));
  const Buffer<std::uint16_t> c_rows(element_count(layer.own_rows().count(), all.n));
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
  const auto product = [&] {
    grouped_gemm()(stream, {.routing = &routing,
                            .a = a.get(),
                            .weights = weights.get(),
                            .c = products.get(),
                            .n = all.n,
                            .k = k,
                            .a_by_position = true});
  };
  compare_ways("reduce-scatter", all, settings, communicator, stream, region,
               "the product and the sum, then NCCL", product);
}

}  // namespace

int main(int argc, char** argv) {
  TurnSettings settings{
      {"8192x1408x2048x60x4", "8192x4096x14336x8x2", "8192x2048x1408x64x6", "8192x14336x4096x8x2"}};
  BenchmarkApp app{"The regions of a mixture of experts on several GPUs"};
  std::vector<std::string> sums{"8192x2048x1536x32x2", "8192x4096x14336x8x2", "8192x2048x1408x60x4"};
  app.add_option("--shapes", settings.shapes, "of the all-gather: MxNxKxEXPERTSxTOP_K, ...")->delimiter(',');
  app.add_option("--sums", sums, "of the reduce-scatter")->delimiter(',');
  add_turn_options(app, settings);
  const std::shared_ptr<Communicator> communicator = mpi_world();
  int devices = 0;
  CONTEXTUAL_CHECKED(cudaGetDeviceCount(&devices));
  CONTEXTUAL_CHECKED(cudaSetDevice(communicator->rank() % devices));
  return run_on_gpu(app, argc, argv, [&] {
    for (const std::string& shape : settings.shapes) {
      compare_allgather(ExpertShape(shape), settings, communicator);
    }
    for (const std::string& shape : sums) {
      compare_reduce_scatter(ExpertShape(shape), settings, communicator);
    }
    return 0;
  });
}
