#include "contextual/options/environment.hpp"

#include <contextual/cache_directory.hpp>
#include <contextual/detail/storage/warning.hpp>
#include <contextual/error.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string_view>
#include <vector>

extern "C" char** environ;  // NOLINT(readability-identifier-naming): POSIX names it

namespace contextual::options {
namespace {

constexpr auto known_variables = std::to_array<std::string_view>(
    {"CONTEXTUAL_ALWAYS_TUNE", "CONTEXTUAL_CACHE_DIR", "CONTEXTUAL_CHOICES_PATH", "CONTEXTUAL_LOG_DIR",
     "CONTEXTUAL_MODE", "CONTEXTUAL_PRINT_AUTOTUNING", "CONTEXTUAL_RENDEZVOUS_HOST",
     "CONTEXTUAL_RENDEZVOUS_PORT", "CONTEXTUAL_TRUSTED_CACHE_DIR", "CONTEXTUAL_VERSION_CHECK"});

std::optional<bool> parse_bool(const char* name, const std::optional<std::string>& text) {
  if (!text) {
    return std::nullopt;
  }
  if (*text == "1" || *text == "0") {
    return *text == "1";
  }
  throw InvalidArgument(std::string("environment variable ") + name + "=\"" + *text + "\": set it to 0 or 1");
}

std::optional<Print> parse_print(const std::optional<std::string>& text) {
  if (!text) {
    return std::nullopt;
  }
  static const std::map<std::string, Print, std::less<>> levels{
      {"0", Print::nothing}, {"1", Print::choices}, {"2", Print::configs}};
  const auto level = levels.find(*text);
  if (level == levels.end()) {
    throw InvalidArgument("environment variable CONTEXTUAL_PRINT_AUTOTUNING=\"" + *text +
                          "\": set it to 0, 1 or 2");
  }
  return level->second;
}

Mode parse_mode(const std::string& text) {
  static const std::map<std::string, Mode, std::less<>> modes{
      {"tune", Mode::tune}, {"use", Mode::use}, {"off", Mode::off}};
  const auto mode = modes.find(text);
  if (mode == modes.end()) {
    throw InvalidArgument("environment variable CONTEXTUAL_MODE=\"" + text +
                          "\": set it to tune, use or off");
  }
  return mode->second;
}

/// Leaves out empty parts.
std::vector<std::filesystem::path> parse_path(const std::string& text) {
  std::vector<std::filesystem::path> directories;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ':');) {
    if (!part.empty()) {
      directories.emplace_back(part);
    }
  }
  return directories;
}

std::vector<std::string> variable_names() {
  std::vector<std::string> names;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    names.emplace_back(text.substr(0, text.find('=')));
  }
  return names;
}

}  // namespace

Environment parse_environment(const std::function<const char*(const char*)>& get) {
  const auto text = [&](const char* name) {
    const char* value = get(name);
    return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
  };
  Environment environment;
  if (const auto mode = text("CONTEXTUAL_MODE")) {
    environment.mode = parse_mode(*mode);
  }
  if (const auto directory = text("CONTEXTUAL_LOG_DIR")) {
    environment.log_directory = *directory;
  }
  if (const char* directory = get("CONTEXTUAL_CACHE_DIR"); directory != nullptr) {
    environment.cache_directory = directory;
  }
  if (const char* path = get("CONTEXTUAL_CHOICES_PATH"); path != nullptr) {
    environment.choices_path = parse_path(path);
  }
  environment.version_check = parse_bool("CONTEXTUAL_VERSION_CHECK", text("CONTEXTUAL_VERSION_CHECK"));
  environment.always_tune = parse_bool("CONTEXTUAL_ALWAYS_TUNE", text("CONTEXTUAL_ALWAYS_TUNE"));
  environment.print = parse_print(text("CONTEXTUAL_PRINT_AUTOTUNING"));
  return environment;
}

std::string unknown_variables_text(const std::vector<std::string>& names) {
  std::string unknown;
  for (const std::string& name : names) {
    const bool is_known =
        std::find(known_variables.begin(), known_variables.end(), name) != known_variables.end();
    if (name.starts_with("CONTEXTUAL_") && !is_known) {
      unknown += (unknown.empty() ? "" : ", ") + name;
    }
  }
  if (unknown.empty()) {
    return {};
  }
  std::string known;
  for (const std::string_view name : known_variables) {
    known.append(known.empty() ? "" : ", ").append(name);
  }
  return "environment variables that are not known: " + unknown + "; those that are: " + known;
}

const ReadEnvironment& environment() {
  static const ReadEnvironment* const read = [] {
    if (std::getenv("CONTEXTUAL_CACHE_DIR") == nullptr && cache_directory().empty()) {
      detail::warn_once(
          "choices and machine code are kept nowhere, because HOME is not set: name a directory in "
          "CONTEXTUAL_CACHE_DIR, or set it to an empty text");
    }
    if (const std::string warning = unknown_variables_text(variable_names()); !warning.empty()) {
      detail::warn_once(warning);
    }
    auto* const fresh = new ReadEnvironment;
    try {
      fresh->values = parse_environment([](const char* name) { return std::getenv(name); });
    } catch (const InvalidArgument& error) {
      fresh->error = error.what();
    }
    return fresh;
  }();
  return *read;
}

}  // namespace contextual::options
