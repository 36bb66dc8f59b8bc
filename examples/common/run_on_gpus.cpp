#include "common/run_on_gpus.hpp"

#include "common/device_matrices.hpp"
#include "common/several_ranks.hpp"

#include <contextual/cuda.hpp>
#include <contextual/mpi.hpp>

#include <cstdio>
#include <exception>
#include <iostream>

namespace examples {
namespace {

void choose_device(int rank) {
  int devices = 0;
  check_cuda(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  check_cuda(cudaSetDevice(rank % devices), "cudaSetDevice");
}

}  // namespace

int run_on_gpus(const std::string& name, CLI::App& app, int argc, char** argv,
                const std::function<void()>& run) {
  int rank = 0;
  try {
    const auto world = contextual::mpi_world();
    rank = world->rank();
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      return rank == 0 ? app.exit(error) : error.get_exit_code();
    }
    if (const std::string problem = contextual::cuda_problem(); !problem.empty()) {
      if (rank == 0) {
        std::printf("Skipped: there is no GPU to tune on (%s)\n", problem.c_str());
      }
      return 0;
    }
    choose_device(rank);
    run();
  } catch (const std::exception& error) {
    std::cerr << name + ", rank " + std::to_string(rank) + ": " + error.what() + "\n";
    abort_all();
  }
  return 0;
}

}  // namespace examples
