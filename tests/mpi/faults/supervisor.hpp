#pragma once

/// \file
/// The real exit status of a rank: mpirun tells only that of one.

#include <filesystem>
#include <functional>

namespace faults {

/// Runs `program` in a child, waits for it, writes `exit-PID.json` with its exit code or signal into
/// `directory`, and then ends in the same way, so that mpirun sees what it would have seen. Called before MPI
/// is initialised.
int supervise(const std::filesystem::path& directory, const std::function<int()>& program);

}  // namespace faults
