#pragma once

/// \file
/// The part of a tuned function that does not depend on its types.

#include <contextual/autotuner.hpp>
#include <contextual/call_options.hpp>
#include <contextual/context_guard.hpp>
#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/detail/launch/lock_in_table.hpp>
#include <contextual/export.hpp>
#include <contextual/key.hpp>
#include <contextual/options.hpp>
#include <contextual/output.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace contextual::detail {

/// The tuner of a function's calls, whatever they fix, and its options: one call tunes at a time.
struct FunctionTuner {
  explicit FunctionTuner(Options given) : options(std::move(given)), tuner(options) {}

  const Options options;
  ContextualAutotuner tuner;
};

/// What the calls of a function over one config space have chosen, by communicator and key. Thread-safe.
class CONTEXTUAL_API TunedCalls {
 public:
  /// The calls are tuned as a region with the function's name. Both must outlive it.
  TunedCalls(const KernelCore& function, FunctionTuner& tuner);
  TunedCalls(const TunedCalls&) = delete;
  TunedCalls& operator=(const TunedCalls&) = delete;
  ~TunedCalls();

  /// What is known of the calls with one communicator.
  struct Group {
    Group(std::string name, std::shared_ptr<Communicator> ranks)
        : region(std::move(name)), communicator(std::move(ranks)) {}

    const std::string region;
    const std::shared_ptr<Communicator> communicator;  ///< null: the tuner's own
    std::atomic<std::uint32_t> region_id{0};
    LockInTable chosen{};  ///< of this region alone
    std::mutex mutex{};
    std::vector<Key> known{};  ///< keys that `chosen` has; guarded

    /// Returns the config of a known call, or LockInTable::none.
    int find(const Key& key) const noexcept { return chosen.find(0, key); }
    /// The next call of each key finds out again, or of those that `function` knows as open: the ranks have
    /// forgotten what was locked in for the region, because some of it has failed on one of them.
    void forget(const KernelCore* function = nullptr);
  };

  /// Returns true inside of a region, where a call is a launch of that region.
  static bool inside_region() noexcept;

  /// What a function's own options say of each call.
  struct Given {
    bool outputs = false;
    bool restore = false;
    bool before_each = false;
  };
  /// Call it inside of a region, which uses none of these. Where that is tuned, stderr says so once.
  void tell_unused(const Given& given) const;

  /// What the calling thread launched in before a known call.
  struct Outer {
    ThreadState* thread = nullptr;  ///< null: the call is not known
    std::uint64_t scope = 0;
    std::uint32_t region = 0;
  };
  /// Returns the config of a call with the tuner's own communicator, and makes the calling thread launch
  /// inside of it, until the caller restores `outer`. Returns LockInTable::none if the call must find out;
  /// always so inside of a region and where devices are checked. Takes no lock. One call for all of it,
  /// because it is in every call's path.
  int enter_known(const Key& key, Outer& outer) const noexcept;

  /// Returns what is known of calls with this communicator; null stands for the tuner's own.
  Group& group(const std::shared_ptr<Communicator>& communicator);
  /// Returns what the group's region has locked in, provisional or not, or LockInTable::none.
  int locked_in(const Group& group, const Key& key) const;

  /// Call it when the config of a known call has failed before it had any effect. As detail::falls_back.
  bool falls_back(Group& group, const Key& key, std::size_t config_id, const std::string& reason) const;

  /// Call it when `keep` does not allow the config of a known call, which the default then replaces. As
  /// detail::replace_refused. Returns true if the call is to be tuned again.
  bool replace_refused(const Group& group, const Key& key, std::size_t config_id) const;

  /// One call that is to be tuned. `call` runs the function with the config that the engine asks for.
  struct Call {
    const Key& key;
    const CallOptions& options;
    std::vector<Output> outputs;
    std::vector<Restored> restore;
    std::function<void()> before_each;  ///< empty: nothing to do
    std::function<void()> call;
    std::function<std::size_t()> last_config;  ///< what the last run of `call` has used
  };
  /// Tunes the call, or runs it once with what is kept, and remembers what is chosen. Throws as
  /// ContextualAutotuner::run does.
  void tune(Group& group, const Call& call);

  /// Prints, on rank 0, which config a call uses.
  void tell(const Group& group, const Key& key, std::size_t config_id) const;

 private:
  Options options_of(const Group& group, const Call& call) const;
  bool tunes_again(const Group& group, const Call& call, std::uint32_t region_id) const;

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A call with the tuner's own communicator. If it is known, the calling thread launches inside the chosen
/// config as long as this object lives.
class KnownCall {
 public:
  KnownCall(const TunedCalls& calls, const Key& key) noexcept : config_id_(calls.enter_known(key, outer_)) {}
  KnownCall(const KnownCall&) = delete;
  KnownCall& operator=(const KnownCall&) = delete;
  ~KnownCall() {
    if (outer_.thread != nullptr) [[likely]] {
      outer_.thread->scope = outer_.scope;
      outer_.thread->region = outer_.region;
    }
  }

  /// Returns LockInTable::none if it is not known.
  int config_id() const noexcept { return config_id_; }

 private:
  TunedCalls::Outer outer_;
  int config_id_;
};

}  // namespace contextual::detail
