#pragma once

/// \file
/// What the program does once it knows its arguments.

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>

namespace contextual::cache_tool {

enum class Verb { list, show, prune, forget, export_choices, import_choices, pin, unpin };

struct Command {
  Verb verb = Verb::list;
  std::filesystem::path directory{};
  std::optional<std::string> region{};
  std::optional<std::string> kernel{};
  std::string set{};                 ///< its name, or a part of it
  std::optional<std::string> key{};  ///< of a pin; without it every key
  std::string config{};              ///< of a pin, as JSON
  std::optional<int> config_id{};
  std::optional<int> older_than_days{};
  bool dry_run = false;
  bool json = false;
  std::filesystem::path file{};  ///< of an export or import; empty: the standard stream
  std::filesystem::path to{};    ///< the directory of an export; empty: it is a text
};

enum ExitCode {
  exit_fine = 0,
  exit_problems = 1,   ///< a file could not be believed, read, written or removed
  exit_not_found = 2,  ///< there is no such set, or the arguments make no sense
};

/// Does it, writes what is asked for to `out`, and what did not work to `err`. `in` is for an import.
int run_command(const Command& command, std::istream& in, std::ostream& out, std::ostream& err);

}  // namespace contextual::cache_tool
