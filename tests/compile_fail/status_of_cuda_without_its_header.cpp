// error: the launcher returns a cudaError_t: include contextual/cuda_runtime.hpp
#include "tiles.hpp"

enum cudaError { cudaSuccess = 0, cudaErrorInvalidValue = 1 };  // as the CUDA runtime declares it
typedef enum cudaError cudaError_t;

int main() {
  contextual::TunableKernel kernel{"scale", tiles(), contextual::single_problem,
                                   [](const Tile&) -> cudaError_t { return cudaErrorInvalidValue; }};
  kernel();
}
