/// \file
/// Tunes a GEMM reduce-scatter on several GPUs: every rank multiplies with its part of the inner dimension,
/// and each rank gets the sum of its rows, which is formed while the other rows are computed.
///
///     mpirun -n 2 gemm_reduce_scatter
///
/// The tiles and the order of the kernel that multiplies, stores and sums, and whether cuBLASLt followed by
/// NCCL would be faster, are chosen together, by the time of the whole.

#include "common/layer_program.hpp"
#include "common/reduced_gemm.hpp"

#include <memory>

int main(int argc, char** argv) {
  return examples::run_layer_program({.name = "gemm_reduce_scatter",
                                      .purpose = "Tunes a GEMM reduce-scatter on several GPUs",
                                      .sizes = {.m = 8192, .n = 4096, .k = 7168},
                                      .make_layer =
                                          [](const std::shared_ptr<contextual::Communicator>& communicator,
                                             const examples::LayerSizes& sizes) {
                                            return std::make_unique<examples::ReducedGemm>(communicator,
                                                                                           sizes);
                                          }},
                                     argc, argv);
}
