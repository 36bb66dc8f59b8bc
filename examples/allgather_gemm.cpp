/// \file
/// Tunes an all-gather GEMM on several GPUs: every rank multiplies the rows of all ranks with its own
/// weights, and begins while the others' rows are under way.
///
///     mpirun -n 2 allgather_gemm
///
/// How the rows are multiplied while they are fetched, and whether NCCL followed by cuBLASLt would be faster,
/// is chosen together, by the time of the whole. `--check` looks at the result of every tuning iteration,
/// `--straggler` makes a rank late, `--perf` only compares what is chosen with the defaults.

#include "common/gathered_gemm.hpp"
#include "common/layer_program.hpp"

#include <memory>
#include <utility>

int main(int argc, char** argv) {
  return examples::run_layer_program(
      {.name = "allgather_gemm",
       .purpose = "Tunes an all-gather GEMM on several GPUs",
       .default_sizes = {.m = 8192, .n = 7168, .k = 4096},
       .size_texts = {.m = "rows of all ranks",
                      .n = "columns of the result, each rank's",
                      .k = "columns of the input"},
       .make_layer =
           [](std::shared_ptr<contextual::Communicator> communicator, const examples::LayerSizes& sizes) {
             return std::make_unique<examples::GatheredGemm>(
                 std::move(communicator), contextual::kernels::cuda::AllGatherGemmShape{
                                              .m = sizes.m, .n = sizes.n, .k = sizes.k, .type = sizes.type});
           }},
      argc, argv);
}
