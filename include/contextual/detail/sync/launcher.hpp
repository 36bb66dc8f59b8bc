#pragma once

#include <contextual/export.hpp>

#include <functional>
#include <optional>
#include <string>

namespace contextual::detail {

/// Whose environment variables say which rank a process is.
enum class Launcher { torchrun, open_mpi, mpich, slurm };

/// The rank of this process, as torchrun, mpirun or Slurm sets it in the environment.
struct LaunchedRank {
  int rank = 0;
  int size = 1;               ///< more than 1
  std::string size_variable;  ///< the environment variable with the size
  Launcher launcher = Launcher::open_mpi;
};

/// Returns nothing for a program that was started as one process, or if the variables make no sense. `get`
/// works like std::getenv.
CONTEXTUAL_API std::optional<LaunchedRank> launched_rank(const std::function<const char*(const char*)>& get);

/// The same for the environment of this process, which no thread may change meanwhile.
CONTEXTUAL_API std::optional<LaunchedRank> launched_rank();

}  // namespace contextual::detail
