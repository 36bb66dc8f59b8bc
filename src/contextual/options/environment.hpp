#pragma once

/// \file
/// The environment variables that override options.

#include <contextual/options.hpp>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace contextual::options {

/// The values of the environment variables. A variable that is unset or empty has no value, except
/// that an empty cache directory and an empty path of choices are.
struct Environment {
  std::optional<Mode> mode;                            ///< CONTEXTUAL_MODE: tune, use or off
  std::optional<std::filesystem::path> log_directory;  ///< CONTEXTUAL_LOG_DIR
  /// CONTEXTUAL_CACHE_DIR; an empty path if it is set to an empty text
  std::optional<std::filesystem::path> cache_directory;
  std::optional<std::vector<std::filesystem::path>> choices_path;  ///< CONTEXTUAL_CHOICES_PATH
  std::optional<bool> version_check;                               ///< CONTEXTUAL_VERSION_CHECK: 0 or 1
  std::optional<bool> always_tune;                                 ///< CONTEXTUAL_ALWAYS_TUNE: 0 or 1
  std::optional<Print> print;                                      ///< CONTEXTUAL_PRINT_AUTOTUNING: 0, 1 or 2
};

/// Reads the variables by `get`, which works like std::getenv. Throws InvalidArgument, which names the
/// variable, its value and the values it may have.
Environment parse_environment(const std::function<const char*(const char*)>& get);

/// The environment, or why it is invalid. `run` throws that error only after it has told the other ranks.
struct ReadEnvironment {
  Environment values;
  std::string error;  ///< the message of `parse_environment`'s exception; empty if it threw none
};

/// Returns a warning that lists the variables in `names` that begin with CONTEXTUAL_ but that the library
/// does not read, and then those that it reads; an empty text if there are none of the former.
std::string unknown_variables_text(const std::vector<std::string>& names);

/// Returns the environment of this process, which is read once.
const ReadEnvironment& environment();

}  // namespace contextual::options
