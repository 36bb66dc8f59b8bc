#pragma once

/// \file
/// Which kernels the ranks have launched for the problems of a run, and on which ranks.

#include "contextual/launch/run_context.hpp"
#include "contextual/storage/choice_set.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace contextual::agreement {

/// What ranks have launched for one problem.
struct LaunchedProblem {
  std::vector<storage::ChosenKernel> kernels;  ///< as they look, each once
  std::vector<std::size_t> ranks;              ///< in order; empty: all
  bool on_stream = false;                      ///< one of the kernels works on a stream itself

  /// Returns true if the kernels look alike on all of these ranks.
  bool alike() const;
};

/// Returns what this rank has launched, for `LaunchedKernels`.
std::string launched_text(const detail::RunContext& context);

/// What all ranks have launched, by problem.
class LaunchedKernels {
 public:
  LaunchedKernels() = default;
  /// Takes the texts of all ranks in order, or one where they are equal.
  explicit LaunchedKernels(const std::vector<std::string>& texts);

  /// Returns what the ranks have launched for the slot's problem: nothing for one that nobody has launched.
  const LaunchedProblem& of(const detail::ProblemSlot& slot) const;

 private:
  /// Kernel or coupling, hash of the key, and scope.
  using Problem = std::tuple<std::string, std::uint64_t, std::uint64_t>;
  std::map<Problem, LaunchedProblem> problems_;
};

}  // namespace contextual::agreement
