#pragma once

#include <contextual/detail/config/erased_space.hpp>
#include <contextual/detail/launch/erased_launch.hpp>
#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/detail/launch/kernel_hooks.hpp>
#include <contextual/export.hpp>
#include <contextual/key.hpp>
#include <contextual/launch_registry.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace contextual::detail {

class LaunchCall;

/// What the configs of a launch are: a kernel's, alternatives that may launch kernels of their own, or those
/// of a function, which may launch kernels or not.
enum class LaunchKind { kernel, choice_point, function };

/// A registered kernel with its hooks, without its types: the half of a LaunchEngine that is the same for all
/// kernels. `arguments` are the addresses of a launch's arguments; the element before them is free.
/// Thread-safe; not copyable.
class CONTEXTUAL_API ErasedEngine {
 public:
  ErasedEngine(std::string name, const ErasedSpace& space, KernelHooks hooks, LaunchKind kind,
               bool takes_stream, const void* code, std::function<std::string()> source);
  ErasedEngine(const ErasedEngine&) = delete;
  ErasedEngine& operator=(const ErasedEngine&) = delete;
  ~ErasedEngine();

  const KernelCore& core() const noexcept { return *core_; }
  bool takes_stream() const noexcept { return takes_stream_; }
  /// Returns true if `keep` is to be asked for every launch.
  bool asks_keep() const noexcept { return asks_keep_; }
  bool keeps(std::size_t config_id, void** arguments) const;
  /// The same for a caller that knows the config's address, which comes before those of the arguments.
  bool keeps(void* const* config_and_arguments) const { return hooks_.keep.call(config_and_arguments); }
  /// Returns what a launch with these arguments uses in place of the config that KernelCore::resolve has
  /// returned and `keep` does not allow: the default. Throws as `replace_refused`.
  int refused(int resolved, const Key& key, void** arguments) const;
  /// A problem's first launch in a run has these arguments, and may use the config.
  void meet(std::size_t config_id, void** arguments) const;
  /// Calls the kernel's `work`, if it has one.
  KernelWork work(void** arguments) const { return hooks_.work ? hooks_.work.call(arguments) : KernelWork(); }
  /// Calls the key function.
  Key key(void** arguments) const { return hooks_.key.call(arguments); }
  void launch_in_run(int resolved, const Key& key, const ErasedLaunch& launch) const;

 private:
  void launch_watched(std::size_t config_id, const Key& key, const ErasedLaunch& launch) const;
  static void run(const LaunchCall& call, const ErasedLaunch& launch);
  void begin(LaunchCall& call, const ErasedLaunch& launch) const;
  bool accept(LaunchCall& call, const ErasedLaunch& launch) const;
  bool accept_with_hooks(LaunchCall& call, const ErasedLaunch& launch) const;

  const ErasedSpace space_;
  const KernelHooks hooks_;
  const bool hooked_;  ///< true if launches call a hook of the user, so that others need not look for hooks
  const bool takes_stream_;
  const bool asks_keep_;
  std::shared_ptr<KernelCore> core_;
  KernelRegistration registration_;
};

}  // namespace contextual::detail
