#pragma once

/// \file
/// The command line's `--search`.

#include <contextual/search.hpp>

#include <CLI/CLI.hpp>

#include <map>
#include <string>

namespace examples {

/// Adds `--search off|quick|normal|thorough`, which sets `level`.
inline void add_search_option(CLI::App& app, contextual::SearchLevel& level) {
  using contextual::SearchLevel;
  const std::map<std::string, SearchLevel> levels{{"off", SearchLevel::off},
                                                  {"quick", SearchLevel::quick},
                                                  {"normal", SearchLevel::normal},
                                                  {"thorough", SearchLevel::thorough}};
  app.add_option("--search", level, "how much to measure: off, quick, normal or thorough")
      ->transform(CLI::CheckedTransformer(levels));
}

}  // namespace examples
