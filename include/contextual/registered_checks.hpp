#pragma once

/// \file
/// RegisteredChecks: what an object knows of the kernels that it launches, such as which of their configs do
/// not go together, and how to tell whether their results are right.

#include <contextual/export.hpp>
#include <contextual/options.hpp>
#include <contextual/output.hpp>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace contextual {

namespace detail {
struct ChecksOfKernels;
}  // namespace detail

/// The checks of a few kernels. Each may be empty.
struct KernelChecks {
  /// Like Options::feasible, but called with the tuning problems of these kernels alone, in every region that
  /// launches at least one of them. A rank that does not launch them must give the same answer.
  std::function<bool(std::span<const AssignedConfig>)> feasible{};
  /// Like Options::verify, but called only after a batch in which this rank has launched at least one of
  /// these kernels. Ranks need not agree on having it.
  std::function<bool(const IterationInfo&)> verify{};
  /// Like Options::outputs: what these kernels write. Filled in regions that have launched one of them, from
  /// the second run of the region on, and compared after batches in which this rank has launched one. Ranks
  /// need not agree on having them.
  std::vector<Output> outputs{};
  /// Called after a batch in which the ranks have found that one of these kernels' configs fails, or that an
  /// assignment with them does, and before the next batch. An object then gets ready to be launched again,
  /// for example by clearing flags on which a kernel waited in vain.
  ///
  /// Every rank calls it that has a tuning problem of these kernels, in the order of registration, so it may
  /// communicate if all ranks have registered the same. It must bound its waits; the deadline watches it, as
  /// it watches `verify`. An exception ends the run, on all ranks: see Search.
  std::function<void()> after_failure{};
};

/// Registers checks as long as it lives, so that an object brings them along for the kernels that it owns,
/// and whoever tunes a region with them need not know. They are asked beside the checks of other objects and
/// those of the options; each of them can reject.
///
/// Make it before `run`, so that all batches of the run have one assignment. It can be neither copied nor
/// moved. Make and destroy it while no other thread tunes these kernels: it is asked on the thread of `run`,
/// between two runs of the region.
class CONTEXTUAL_API RegisteredChecks {
 public:
  /// `kernels` are names of kernels, or of couplings for those that are coupled. Throws InvalidArgument if
  /// there are none, or if an output is none.
  RegisteredChecks(std::vector<std::string> kernels, KernelChecks checks);
  RegisteredChecks(const RegisteredChecks&) = delete;
  RegisteredChecks& operator=(const RegisteredChecks&) = delete;
  ~RegisteredChecks();

 private:
  std::shared_ptr<const detail::ChecksOfKernels> checks_;
};

}  // namespace contextual
