#pragma once

/// \file
/// The options of a run: for each, the value with the highest precedence among the environment, the call, the
/// tuner, the process-wide defaults and the built-in defaults.

#include "contextual/measure/buffer_copies.hpp"
#include "contextual/options/environment.hpp"
#include "contextual/policy/tuning_state.hpp"
#include "contextual/storage/write_budget.hpp"

#include <contextual/detail/sync/launcher.hpp>
#include <contextual/options.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace contextual::options {

/// In the current directory of the process, which may be none that it can write.
inline constexpr const char* default_log_directory = ".autotune_logs";

/// The initialisers are the built-in defaults.
struct ResolvedOptions {
  Mode mode = Mode::tune;
  policy::PolicyOptions policy;
  Iterations iterations = Iterations::joined;
  bool always_tune = false;
  std::chrono::milliseconds deadline{60'000};
  std::chrono::milliseconds grace{10'000};
  std::string environment_error;
  std::filesystem::path log_directory = default_log_directory;
  std::filesystem::path cache_directory;            ///< empty: choices are not kept
  std::vector<std::filesystem::path> choices_path;  ///< of choices that are only read
  Journal journal = Journal::written;
  Revalidate revalidate = Revalidate::no;
  Print print = Print::long_tunings;
  std::shared_ptr<Communicator> communicator;
  bool communicator_given = false;  ///< true if an option set `communicator`; else it is `one_rank()`
  TimerFactory timer;
  std::function<bool(std::span<const AssignedConfig>)> feasible;
  std::function<bool(const IterationInfo&)> verify;
  std::vector<Output> outputs;
  std::vector<Restored> restore;
  /// Of `restore`; null if there is nothing to restore. Copies of the options of one call share them.
  std::shared_ptr<measure::BufferCopies> copies;
  /// Of the logs and the journal of one call.
  std::shared_ptr<storage::WriteBudget> write_budget = std::make_shared<storage::WriteBudget>();
  std::function<bool(const std::exception_ptr&)> is_out_of_memory;
  bool exceptions_reject = false;  ///< of a KernelTuner: an exception of a launcher rejects its config
  std::vector<RegionPart> parts;
  std::function<void(const Progress&)> progress;
  std::function<void(const BlockedInfo&)> on_deadline;
  std::function<void(const IterationInfo&)> before_iteration;
  std::function<void(const IterationInfo&)> after_iteration;

  /// Choices of other processes may be used.
  bool has_kept_choices() const { return !cache_directory.empty() || !choices_path.empty(); }
  /// What a config computes is looked at, also where a kernel has no `check`.
  bool checks_results() const { return !outputs.empty() || verify; }
  /// The options that must be equal on all ranks: "mode=tune", "n_warmup=3", ...
  std::vector<std::string> agreed_items() const;
  std::string agreed_text() const;  ///< the same in one line
};

/// Throws InvalidArgument for values that make no sense. Not part of `resolve`, so that a rank can tell the
/// other ranks before it throws.
void validate(const ResolvedOptions& options);
/// Throws InvalidArgument for outputs that make no sense. `whose`: whose they are, for the message.
void check_outputs(const std::vector<Output>& outputs, const std::string& whose);
/// Returns what `validate` throws, or null.
std::exception_ptr failure_of(const ResolvedOptions& options);

/// Returns `under` with every option that `call` sets.
Options merged(const Options& call, const Options& under);
/// Returns a bit for each option, in the order of the table: 1 if it is set.
std::uint64_t bits_of_set(const Options& options);
/// Returns the names of the options of such bits: "restore, outputs".
std::string names_of_set(std::uint64_t bits);

/// Resolves each option. Does not check the values.
ResolvedOptions resolve(const Options& call, const Options& tuner, const ReadEnvironment& environment);

/// Returns a warning that each rank tunes alone, for a tuner without a communicator in a program that a
/// launcher started as several ranks. Returns nothing if the options have a communicator, even `one_rank()`,
/// or if no launcher says that there are other ranks.
std::optional<std::string> lone_rank_warning(const ResolvedOptions& options,
                                             const std::optional<detail::LaunchedRank>& launched);

}  // namespace contextual::options
