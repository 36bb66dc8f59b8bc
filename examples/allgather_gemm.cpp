/// \file
/// Tunes an all-gather GEMM on several GPUs: every rank multiplies the rows of all ranks with its own
/// weights, and begins while the others' rows are under way.
///
///     mpirun -n 2 allgather_gemm
///
/// How the rows are multiplied while they are fetched, and whether NCCL followed by cuBLASLt would be faster,
/// is chosen together, by the time of the whole.

#include "common/gathered_gemm.hpp"
#include "common/layer_program.hpp"

#include <memory>
#include <utility>

int main(int argc, char** argv) {
  return examples::run_layer_program(
      {.name = "allgather_gemm",
       .purpose = "Tunes an all-gather GEMM on several GPUs",
       .sizes = {.m = 8192, .n = 7168, .k = 4096},
       .make_layer =
           [](std::shared_ptr<contextual::Communicator> communicator, const examples::LayerSizes& sizes) {
             return std::make_unique<examples::GatheredGemm>(std::move(communicator), sizes);
           }},
      argc, argv);
}
