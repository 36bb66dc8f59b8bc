#pragma once

/// \file
/// The benchmark of regions, for its own program and for a process that brings other ways of computing the
/// same.

#include <contextual/cuda.hpp>

#include <functional>
#include <string>
#include <vector>

namespace contextual::benchmarks {

/// Another way: `call` launches one call of this rank on the stream, which is always the same. Throws where
/// it cannot.
struct ForeignSide {
  std::string name;
  std::function<void(CUstream)> call;
};

/// Returns the program's exit code. The foreign sides are the same on all ranks.
int run_regions(int argc, char** argv, std::vector<ForeignSide> foreign = {});

}  // namespace contextual::benchmarks
