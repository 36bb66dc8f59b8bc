#pragma once

/// \file
/// The program that tunes one layer spread over several GPUs, whichever layer it is.

#include "common/checked_layer.hpp"

#include <contextual/communicator.hpp>
#include <contextual/kernels/cuda/gemm.hpp>

#include <functional>
#include <memory>
#include <string>

namespace examples {

/// C[m, n] = A[m, k] * B[n, k]^T, as a rank multiplies.
struct LayerSizes {
  int m = 0;
  int n = 0;
  int k = 0;
  contextual::kernels::cuda::GemmType type = contextual::kernels::cuda::GemmType::bf16;
};

/// What the sizes are of, for `--help`.
struct SizeTexts {
  std::string m;
  std::string n;
  std::string k;
};

struct LayerProgram {
  std::string name;  ///< of the program and of its region
  std::string purpose;
  LayerSizes default_sizes;
  SizeTexts size_texts;
  /// Collective.
  std::function<std::unique_ptr<CheckedLayer>(std::shared_ptr<contextual::Communicator>, const LayerSizes&)>
      make_layer;
};

/// Runs the program on this rank, and returns its exit code: 0, also where there is no GPU, or that of CLI11
/// for a wrong command line. An error ends the processes of all ranks with 1. Collective over
/// MPI_COMM_WORLD, whose MPI it initialises.
int run_layer_program(const LayerProgram& program, int argc, char** argv);

}  // namespace examples
