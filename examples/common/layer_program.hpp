#pragma once

/// \file
/// The program that tunes one layer spread over several GPUs, whichever layer it is.

#include "common/checked_layer.hpp"

#include <contextual/communicator.hpp>

#include <functional>
#include <memory>
#include <string>

namespace examples {

struct LayerProgram {
  std::string name;  ///< of the program and of its region
  std::string purpose;
  LayerSizes sizes;  ///< unless the command line has others
  /// Collective.
  std::function<std::unique_ptr<CheckedLayer>(std::shared_ptr<contextual::Communicator>, const LayerSizes&)>
      make_layer;
};

/// Tunes on this rank, and checks the result of every tuning iteration. Returns the exit code: 0, also where
/// there is no GPU, or that of CLI11 for a wrong command line. An error ends the processes of all ranks with
/// 1. Collective over MPI_COMM_WORLD, whose MPI it initialises.
int run_layer_program(LayerProgram program, int argc, char** argv);

}  // namespace examples
