#pragma once

/// \file
/// What the library throws. Every message says what failed, where, and what to change.

#include <contextual/export.hpp>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace contextual {

/// Base of everything the library throws on its own account. What a region throws passes through unchanged.
class CONTEXTUAL_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An option, an environment variable or a call that makes no sense: zero repeats, two kernels of one
/// name, a log directory that cannot be written.
class CONTEXTUAL_API InvalidArgument : public Error {
 public:
  using Error::Error;
};

/// A config space that cannot be used: empty, contradictory, with duplicates, too large, or with a
/// constraint that throws. Raised by the first launch or `run`, never before `main`.
class CONTEXTUAL_API ConfigSpaceError : public Error {
 public:
  using Error::Error;
};

/// Thrown by a launcher, or by `prepare`, to say that this config cannot be launched and that nothing has
/// happened yet. While tuning, the config is rejected on all ranks and the same call launches the fallback.
class CONTEXTUAL_API ConfigRejected : public Error {
 public:
  using Error::Error;
};

/// Why one config of a tuning problem is out.
struct Rejection {
  std::size_t config_id = 0;  ///< index in the kernel's config space
  std::string config;         ///< the config as text, e.g. "{BLOCK_N: 128, NUM_SMS: 132}"
  std::string
      reason;  ///< what the launcher, `prepare` or the check said; names the rank when there are several
};

/// Every config of a tuning problem was rejected. Thrown on all ranks, with every reason.
class CONTEXTUAL_API TuningFailedError : public Error {
 public:
  TuningFailedError(std::string region, std::string kernel, std::string key,
                    std::vector<Rejection> rejections, std::vector<int> failed_ranks = {});

  const std::string& region() const noexcept { return region_; }
  const std::string& kernel() const noexcept { return kernel_; }
  const std::string& key() const noexcept { return key_; }
  const std::vector<Rejection>& rejections() const noexcept { return rejections_; }
  /// The ranks on which a launch found no config left. Empty: every config was out by agreement, on all
  /// ranks.
  const std::vector<int>& failed_ranks() const noexcept { return failed_ranks_; }

 private:
  std::string region_;
  std::string kernel_;
  std::string key_;
  std::vector<Rejection> rejections_;
  std::vector<int> failed_ranks_;
};

/// The region threw on another rank, or the run could not be set up there; thrown on the ranks that reached
/// the exchange. The rank that threw rethrows its own exception unchanged.
class CONTEXTUAL_API RegionFailedError : public Error {
 public:
  RegionFailedError(std::string region, int failed_rank, std::string cause,
                    std::optional<std::int64_t> tuning_iteration);

  int failed_rank() const noexcept { return failed_rank_; }
  const std::string& cause() const noexcept { return cause_; }
  /// Empty: the set-up failed, before the first one.
  std::optional<std::int64_t> tuning_iteration() const noexcept { return tuning_iteration_; }

 private:
  int failed_rank_;
  std::string cause_;
  std::optional<std::int64_t> tuning_iteration_;
};

/// Ranks disagree on launches, keys, config spaces, options, environment or region. Thrown on all ranks;
/// the message names rank, tuning iteration and kernel.
class CONTEXTUAL_API RankMismatchError : public Error {
 public:
  explicit RankMismatchError(const std::string& what, std::vector<int> differing_ranks = {})
      : Error(what), differing_ranks_(std::move(differing_ranks)) {}

  /// Those that differ from most of the others; all, where no majority is alike. Empty: not known.
  const std::vector<int>& differing_ranks() const noexcept { return differing_ranks_; }

 private:
  std::vector<int> differing_ranks_;
};

/// The device no longer works for this process: a kernel wrote where it must not, an assertion failed. Such
/// an error comes later than its cause and never goes away, so it ends the run; the process has to be started
/// anew. The message says where it was noticed and which launches can have caused it.
class CONTEXTUAL_API DeviceError : public Error {
 public:
  /// A launch that can have caused it.
  struct Suspect {
    std::string kernel;
    std::string key;
    std::size_t config_id = 0;
    std::string config;
    std::int64_t tuning_iteration = 0;  ///< the first one in question
  };

  explicit DeviceError(const std::string& what, std::vector<Suspect> suspects = {})
      : Error(what), suspects_(std::move(suspects)) {}

  /// Configs that had not been through a settled batch when it happened; where there is none, everything that
  /// was launched since the last settle. Empty: not known.
  const std::vector<Suspect>& suspects() const noexcept { return suspects_; }

 private:
  std::vector<Suspect> suspects_;
};

/// A collective of the tuner did not complete before its deadline, or its communicator is poisoned by an
/// earlier expiry. What `run` throws says in which region, at which tuning iterations and with which
/// deadline, and what to do. `missing_ranks` is empty where the transport cannot know them.
class CONTEXTUAL_API CommunicationError : public Error {
 public:
  /// `cause` without the missing ranks, which `what` adds.
  CommunicationError(const std::string& cause, std::vector<int> missing_ranks);

  const std::string& cause() const noexcept { return cause_; }
  const std::vector<int>& missing_ranks() const noexcept { return missing_ranks_; }

 private:
  std::string cause_;
  std::vector<int> missing_ranks_;
};

}  // namespace contextual
