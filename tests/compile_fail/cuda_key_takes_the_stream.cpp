// error: the key function of a CudaKernel takes the kernel's arguments without the stream
#include "tiles.hpp"

#include <contextual/cuda.hpp>

int main() {
  contextual::CudaKernel<Tile, float*, int> kernel{
      "scale", tiles(), [](CUstream, const float*, int n) { return contextual::make_key(n); }, {}};
}
