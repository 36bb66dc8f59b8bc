#pragma once

/// \file
/// Options of one call of a tuned function.

#include <contextual/communicator.hpp>
#include <contextual/config.hpp>

#include <memory>

namespace contextual {

/// What one call does differently: `tuned.with(CallOptions{.autotune = false}, args...)`. Every member may be
/// left out. On several ranks, all ranks of the call give the same ones.
struct CallOptions {
  /// False: the call tunes nothing and runs once, with the defaults, or with the first config that has the
  /// values of `fixed`; so do the kernels that it launches, whatever the environment says. What is chosen
  /// stays for other calls.
  bool autotune = true;
  /// True: rank 0 prints to stderr what the call tunes and chooses, and, outside of regions and captures,
  /// which config it uses.
  bool verbose = false;
  /// The ranks that make this call. Null: those of the tuner. What is chosen with one communicator is not
  /// used in this process's calls with another one, so keep one object for each group of ranks. What is kept
  /// for other processes goes by the size of the group and the kinds of its machines.
  std::shared_ptr<Communicator> communicator{};
  /// Parameters with the values that the call must use: `{{"BLOCK", 128}}`. Only the configs with all of
  /// these values are candidates. Their choice is kept apart from that of calls that fix nothing, or
  /// something else, also on disk. For tuned functions only: a region's kernels have parameters of their own.
  Config fixed{};
};

}  // namespace contextual
