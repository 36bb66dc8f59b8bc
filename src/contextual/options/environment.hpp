#pragma once

/// \file
/// What the environment says over options: operations only.

#include <contextual/options.hpp>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace contextual::options {

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

}  // namespace contextual::options
