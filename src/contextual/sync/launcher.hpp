#pragma once

#include <functional>
#include <optional>
#include <string>

namespace contextual::sync {

/// What mpirun or Slurm says of this process, in the environment.
struct LaunchedRank {
  int rank = 0;
  int size = 1;               ///< more than 1
  std::string size_variable;  ///< which one said so
};

/// Nothing for a program that was started alone, or whose variables make no sense. `get`: as std::getenv.
std::optional<LaunchedRank> launched_rank(const std::function<const char*(const char*)>& get);

/// Of this process. Reads the environment, so nobody may change it meanwhile.
std::optional<LaunchedRank> launched_rank();

}  // namespace contextual::sync
