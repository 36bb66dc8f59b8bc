#pragma once

/// \file
/// The events in a rank's log.

#include "support/engine.hpp"

#include <nlohmann/json.hpp>

namespace contextual::test {

/// The events of that name in the log of a rank in `directory`, in order; all where no name is given.
inline std::vector<nlohmann::json> events_in(const std::filesystem::path& directory, int rank,
                                             const std::string& name = {}) {
  std::vector<nlohmann::json> events;
  std::istringstream lines(text_of_file(directory / ("rank-" + std::to_string(rank) + ".jsonl")));
  for (std::string line; std::getline(lines, line);) {
    nlohmann::json event = nlohmann::json::parse(line);
    if (name.empty() || event.at("event") == name) {
      events.push_back(std::move(event));
    }
  }
  return events;
}

}  // namespace contextual::test
