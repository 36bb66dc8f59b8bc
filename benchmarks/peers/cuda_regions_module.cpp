/// \file
/// The benchmark of regions as a library, for torch_regions.py.

#include "cuda_regions.hpp"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// Runs the benchmark with `count` other sides. `call` launches the side of this index on the stream, and
/// returns 0, or something else if it cannot. Returns the exit code.
extern "C" __attribute__((visibility("default"))) int contextual_cuda_regions(
    int argc, char** argv, int count, const char* const* names, int (*call)(int side, void* stream)) {
  std::vector<contextual::benchmarks::ForeignSide> sides;
  for (int side = 0; side < count; ++side) {
    sides.push_back({.name = names[side], .call = [side, call](CUstream stream) {
                       if (call(side, stream) != 0) {
                         throw std::runtime_error("it has thrown, as is written above");
                       }
                     }});
  }
  return contextual::benchmarks::run_regions(argc, argv, std::move(sides));
}
