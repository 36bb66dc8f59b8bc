#pragma once

/// \file
/// The launch of a KernelTuner's kernel: what it has used, and which problem of a report is its own.

#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/key.hpp>
#include <contextual/report.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace contextual::tuning {

/// Takes notes of each launch, on the thread that launches. The latest launch counts.
class NotedLaunch {
 public:
  /// `kernel` may be null, if no such kernel lives; then nothing is known of its launches.
  explicit NotedLaunch(std::shared_ptr<detail::KernelCore> kernel) : kernel_(std::move(kernel)) {}

  /// Throws what the launch would throw before it launches.
  void note(const Key& key);
  /// Takes the key from the kernel's last launch on this thread, if a run has tuned that. Call it right after
  /// the launch.
  void note_tuned();

  /// Returns the config of a launch that was not tuned, or nothing.
  std::optional<std::size_t> untuned_config() const noexcept { return untuned_config_; }
  /// Returns the launch's problem, as kernel and key name it, or null.
  const ProblemReport* problem_in(const RegionReport& run) const;
  /// Returns why a launch that was not tuned has used its config. `run` may be null.
  std::string reason(const RegionReport* run) const;

 private:
  const std::string& problem_name() const;

  std::shared_ptr<detail::KernelCore> kernel_;
  std::string key_text_;  ///< empty: not known
  std::optional<std::size_t> untuned_config_;
  std::string pinned_by_;  ///< the file; empty if that config is not pinned
};

}  // namespace contextual::tuning
