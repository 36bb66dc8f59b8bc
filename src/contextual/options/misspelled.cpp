#include "contextual/options/misspelled.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>

namespace contextual::options {
namespace {

constexpr std::string_view prefix = "CONTEXTUAL_";
constexpr std::size_t most_letters = 2;

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

bool is_close(std::string_view name, std::string_view known) {
  constexpr std::size_t shortest = 3;  // what is shorter is the beginning of anything
  const bool begins = name.size() >= shortest && (name.starts_with(known) || known.starts_with(name));
  return begins || distance(name, known) <= most_letters;
}

}  // namespace

std::string_view meant_variable(std::string_view name) {
  if (!name.starts_with(prefix)) {
    return {};
  }
  name.remove_prefix(prefix.size());
  if (std::find(known_variables.begin(), known_variables.end(), name) != known_variables.end()) {
    return {};
  }
  const auto close = std::find_if(known_variables.begin(), known_variables.end(),
                                  [&](std::string_view known) { return is_close(name, known); });
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
