// error: the launcher returns a CUresult: include contextual/cuda.hpp
#include "tiles.hpp"

#include <contextual/function.hpp>

typedef enum cudaError_enum { CUDA_SUCCESS = 0 } CUresult;  // as the CUDA driver declares it

int main() {
  auto scale = contextual::autotune("scale", tiles(), contextual::single_problem,
                                    [](const Tile&) { return CUDA_SUCCESS; });
  return scale();
}
