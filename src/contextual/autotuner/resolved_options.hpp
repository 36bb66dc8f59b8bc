#pragma once

/// \file
/// Options after falling through call, tuner, process and built-in values, and the environment.

#include "contextual/policy/tuning_state.hpp"

#include <contextual/options.hpp>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace contextual::autotuner {

/// The environment's variables; each absent unless set and not empty.
struct Environment {
  std::optional<Mode> mode;                            ///< CONTEXTUAL_MODE: tune, use or off
  std::optional<std::filesystem::path> log_directory;  ///< CONTEXTUAL_LOG_DIR
  std::optional<bool> always_tune;                     ///< CONTEXTUAL_ALWAYS_TUNE: 0 or 1
  std::optional<bool> print;                           ///< CONTEXTUAL_PRINT_AUTOTUNING: 0 or 1
};

/// Throws InvalidArgument naming the variable, its value and the values it may have.
Environment parse_environment(const std::function<const char*(const char*)>& get);

/// As far as it makes sense; what does not is told by `run`, so that a rank can tell the others first.
struct ReadEnvironment {
  Environment values;
  std::string error;  ///< what `parse_environment` threw; empty: nothing
};

/// Read once a process.
const ReadEnvironment& environment();

struct ResolvedOptions {
  Mode mode = Mode::tune;
  policy::PolicyOptions policy;
  std::size_t max_problems = 4096;
  bool always_tune = false;
  std::chrono::milliseconds deadline{60'000};
  std::chrono::milliseconds grace{10'000};
  bool times_count = true;
  std::string environment_error;
  std::filesystem::path log_directory = ".autotune_logs";
  bool print = false;
  std::shared_ptr<Communicator> communicator;
  TimerFactory timer;
  std::function<void(const Progress&)> progress;
  std::function<void(const BlockedInfo&)> on_deadline;
  std::function<void(const IterationInfo&)> before_iteration;
  std::function<void(const IterationInfo&)> after_iteration;

  /// What must be equal on all ranks: "mode=tune", "n_warmup=3", ...
  std::vector<std::string> agreed_items() const;
  std::string agreed_text() const;  ///< the same in one line
};

/// Throws InvalidArgument for values that make no sense. Apart from `resolve`, so that a rank can tell the
/// others before it throws.
void validate(const ResolvedOptions& options);

/// Does not look at the values.
ResolvedOptions resolve(const Options& call, const Options& tuner, const ReadEnvironment& environment);

}  // namespace contextual::autotuner
