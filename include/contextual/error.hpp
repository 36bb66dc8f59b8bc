#pragma once

/// \file
/// The exceptions of the library. A message says what failed, where, and what to change.

#include <contextual/export.hpp>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace contextual {

/// The base of all exceptions of the library. An exception of a region passes through unchanged.
class CONTEXTUAL_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An option, an environment variable or a call makes no sense; for example, there are zero repeats, two
/// kernels with one name, or a log directory that cannot be written.
class CONTEXTUAL_API InvalidArgument : public Error {
 public:
  using Error::Error;
};

/// A config space cannot be used: it is empty, contradictory, too large or has duplicates, or a constraint
/// throws. Thrown by the first use of the space, such as a launch, and never by constructing a kernel.
class CONTEXTUAL_API ConfigSpaceError : public Error {
 public:
  using Error::Error;
};

/// Thrown by the user's launcher or hooks to say that a config cannot be launched and that nothing has
/// happened yet. While tuning, the config is rejected on all ranks, and the same call launches the fallback.
/// Outside of tuning, the same call launches the default, which is used from then on. It passes through to
/// the caller if it is the default that cannot be launched, or if other ranks or coupled kernels use the
/// config.
class CONTEXTUAL_API ConfigRejected : public Error {
 public:
  using Error::Error;
};

/// Why one config of a tuning problem was rejected.
struct Rejection {
  std::size_t config_id = 0;  ///< index in the kernel's config space
  std::string config;         ///< the config as text, e.g. "{BLOCK_N: 128, NUM_SMS: 132}"
  std::string reason;  ///< the words of the launcher, `load` or `check`; names the rank if there are several
  std::vector<int> ranks{};  ///< that rejected it; empty if it was not launched, or inside of the region
};

/// Why an assignment of configs to all kernels of a region was rejected, although none of them is to blame by
/// itself.
struct InfeasibleAssignment {
  std::string configs;  ///< e.g. "gather {CTAS: 8}, gemm {BLOCK_N: 128, NUM_SMS: 132}"
  std::string
      reason;  ///< the words of `check`, `verify` or `outputs`, or that a time is missing; may name the rank
};

/// Every config of a tuning problem was rejected, or no assignment of configs was found with which the region
/// succeeds. Thrown on all ranks, with every reason.
class CONTEXTUAL_API TuningFailedError : public Error {
 public:
  /// No assignment was found; `cause` says how long the search was.
  TuningFailedError(std::string region, const std::string& cause,
                    std::vector<InfeasibleAssignment> infeasible);
  TuningFailedError(std::string region, std::string kernel, std::string key,
                    std::vector<Rejection> rejections, std::vector<int> failed_ranks = {});

  const std::string& region() const noexcept { return region_; }
  const std::string& kernel() const noexcept { return kernel_; }
  const std::string& key() const noexcept { return key_; }
  const std::vector<Rejection>& rejections() const noexcept { return rejections_; }
  /// Empty if every config of one problem was rejected; then `kernel` and `key` name the problem.
  const std::vector<InfeasibleAssignment>& infeasible() const noexcept { return infeasible_; }
  /// The ranks on which a launch found no config left. Empty if all ranks rejected the last config together.
  const std::vector<int>& failed_ranks() const noexcept { return failed_ranks_; }

 private:
  std::string region_;
  std::string kernel_;
  std::string key_;
  std::vector<Rejection> rejections_;
  std::vector<InfeasibleAssignment> infeasible_;
  std::vector<int> failed_ranks_;
};

/// The region threw on another rank, or the run could not be set up there. Thrown on the ranks that reached
/// the exchange; the rank that failed rethrows its own exception unchanged.
class CONTEXTUAL_API RegionFailedError : public Error {
 public:
  RegionFailedError(std::string region, int failed_rank, std::string cause,
                    std::optional<std::int64_t> tuning_iteration);

  int failed_rank() const noexcept { return failed_rank_; }
  const std::string& cause() const noexcept { return cause_; }  ///< the text of that rank's exception
  /// The tuning iteration in which the region failed, or nothing if the set-up failed before the first one.
  std::optional<std::int64_t> tuning_iteration() const noexcept { return tuning_iteration_; }

 private:
  int failed_rank_;
  std::string cause_;
  std::optional<std::int64_t> tuning_iteration_;
};

/// The ranks differ in launches, keys, config spaces, options, timers or region. Thrown on all ranks. The
/// message names the differing rank and what differs, and for launches the tuning iteration and the kernel.
class CONTEXTUAL_API RankMismatchError : public Error {
 public:
  explicit RankMismatchError(const std::string& what, std::vector<int> differing_ranks = {})
      : Error(what), differing_ranks_(std::move(differing_ranks)) {}

  /// The ranks that differ from the majority, or all ranks if there is no majority. Empty if not known.
  const std::vector<int>& differing_ranks() const noexcept { return differing_ranks_; }

 private:
  std::vector<int> differing_ranks_;
};

/// The device no longer works for this process, for example because a kernel wrote to an illegal address or
/// an assertion in it failed. Such an error appears later than its cause and never goes away: the run ends,
/// and the process has to be restarted. The message says where the error was noticed and which launches may
/// have caused it.
class CONTEXTUAL_API DeviceError : public Error {
 public:
  /// A launch that may have caused the error.
  struct Suspect {
    std::string kernel;
    std::string key;
    std::size_t config_id = 0;
    std::string config;
    std::int64_t tuning_iteration = 0;  ///< of the first such launch
  };

  explicit DeviceError(const std::string& what, std::vector<Suspect> suspects = {})
      : Error(what), suspects_(std::move(suspects)) {}

  /// The configs launched since the last settle that no settled batch had used before. If there are none,
  /// everything launched since the last settle. Empty if not known.
  const std::vector<Suspect>& suspects() const noexcept { return suspects_; }

 private:
  std::vector<Suspect> suspects_;
};

/// A collective of the tuner did not complete before its deadline, or an earlier one did not, which poisoned
/// the communicator. When `run` throws it, the message names the region, the tuning iterations and the
/// deadline, and says what to do. `missing_ranks` is empty if the transport cannot know which ranks are
/// missing.
class CONTEXTUAL_API CommunicationError : public Error {
 public:
  /// `cause` does not mention the missing ranks; `what()` appends them.
  CommunicationError(const std::string& cause, std::vector<int> missing_ranks);

  const std::string& cause() const noexcept { return cause_; }
  const std::vector<int>& missing_ranks() const noexcept { return missing_ranks_; }

 private:
  std::string cause_;
  std::vector<int> missing_ranks_;
};

}  // namespace contextual
