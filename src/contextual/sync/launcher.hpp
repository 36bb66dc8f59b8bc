#pragma once

#include <functional>
#include <optional>
#include <string>

namespace contextual::sync {

/// The rank of this process, as mpirun or Slurm sets it in the environment.
struct LaunchedRank {
  int rank = 0;
  int size = 1;               ///< more than 1
  std::string size_variable;  ///< the environment variable with the size
};

/// Returns nothing for a program that was started as one process, or if the variables make no sense. `get`
/// works like std::getenv.
std::optional<LaunchedRank> launched_rank(const std::function<const char*(const char*)>& get);

/// The same for the environment of this process, which no thread may change meanwhile.
std::optional<LaunchedRank> launched_rank();

}  // namespace contextual::sync
