#include "contextual/options/misspelled.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>

namespace contextual::options {
namespace {

constexpr std::string_view prefix = "CONTEXTUAL_";

/// Without the prefix. docs/concepts.md lists them.
constexpr std::array<std::string_view, 9> known_variables = {
    "ALWAYS_TUNE",     "CACHE_DIR",       "LOG_DIR",           "MODE",         "PRINT_AUTOTUNING",
    "RENDEZVOUS_HOST", "RENDEZVOUS_PORT", "TRUSTED_CACHE_DIR", "VERSION_CHECK"};

/// How many letters must be changed, added or removed: Levenshtein's distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

/// As variables of the environment usually are. Not `std::toupper`, which depends on the locale.
std::string in_capitals(std::string_view name) {
  std::string capitals(name);
  for (char& c : capitals) {
    c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return capitals;
}

/// One of the two is the beginning of the other, behind the prefix.
bool begins(std::string_view name, std::string_view known) {
  constexpr std::size_t shortest = 3;  // what is shorter is the beginning of anything
  if (!name.starts_with(prefix)) {
    return false;
  }
  name.remove_prefix(prefix.size());
  return name.size() >= shortest && (name.starts_with(known) || known.starts_with(name));
}

/// How many letters may be wrong: of short names two would make another word, as HOME and MODE.
std::size_t most_letters(std::string_view known) {
  constexpr std::size_t longest_short_name = 5;
  return known.size() <= longest_short_name ? 1 : 2;
}

/// `name` is in capitals and has the prefix, or what was meant to be it; `known` has none.
bool is_close(std::string_view name, std::string_view known) {
  return begins(name, known) || distance(name, std::string(prefix).append(known)) <= most_letters(known);
}

}  // namespace

std::string_view meant_variable(std::string_view name) {
  const bool is_known =
      name.starts_with(prefix) && std::find(known_variables.begin(), known_variables.end(),
                                            name.substr(prefix.size())) != known_variables.end();
  if (is_known) {
    return {};
  }
  const std::string capitals = in_capitals(name);
  const auto close = std::find_if(known_variables.begin(), known_variables.end(),
                                  [&](std::string_view known) { return is_close(capitals, known); });
  return close == known_variables.end() ? std::string_view() : *close;
}

std::vector<std::string> misspelled_variables(const std::vector<std::string>& names) {
  std::vector<std::string> warnings;
  for (const std::string& name : names) {
    if (const std::string_view meant = meant_variable(name); !meant.empty()) {
      warnings.push_back("environment variable " + name + " is not known: is " + std::string(prefix) +
                         std::string(meant) + " meant?");
    }
  }
  return warnings;
}

}  // namespace contextual::options
