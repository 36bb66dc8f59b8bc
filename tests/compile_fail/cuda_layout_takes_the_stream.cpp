// error: CudaKernelDefinition::layout is called as CudaLayout(const C&, const Args&...), without the stream
#include "tiles.hpp"

#include <contextual/cuda.hpp>

int main() {
  contextual::CudaKernelDefinition<Tile, float*, int> definition;
  definition.layout = [](const Tile&, CUstream, float*, int) { return contextual::CudaLayout{}; };
}
