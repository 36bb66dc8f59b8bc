#include "contextual/tuning/journal_text.hpp"

#include <contextual/detail/config/hex_text.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace contextual::tuning {

using nlohmann::json;

namespace {

/// Of a problem in the text of a kept set.
constexpr const char* no_identity = "kept";

std::string text_of(const json& parts) {
  return parts.dump(-1, ' ', false, json::error_handler_t::replace);
}

json part_of(const detail::Problem& problem, std::size_t config_id) {
  return {problem.name, problem.key_text, detail::hex_text(problem.identity), config_id};
}

}  // namespace

std::string journal_text(const agreement::ProblemSet& problems, const policy::IterationPlan& planned) {
  const Assignment assignment = problems.state().assignment_of(planned);
  json parts = json::array();
  for (std::size_t p = 0; p < assignment.size(); ++p) {
    parts.push_back(part_of(problems.slots()[p]->problem, assignment[p]));
  }
  return text_of(parts);
}

std::string journal_text(const RegionReport& installed) {
  json parts = json::array();
  for (const ProblemReport& problem : installed.problems) {
    if (problem.reused && problem.pinned_by.empty()) {
      parts.push_back({problem.kernel, problem.key, no_identity, problem.choice});
    }
  }
  return text_of(parts);
}

std::string loading_text(const detail::Problem& problem, std::size_t config_id) {
  json part = part_of(problem, config_id);
  part[2] = "prepare";
  return text_of(json::array({part}));
}

std::string config_text(const detail::Problem& problem, std::size_t config_id) {
  return text_of(json::array({part_of(problem, config_id)}));
}

bool launches(const storage::ChoiceSet& entry, const std::string& text) {
  const json parts = json::parse(text);
  const auto is_of = [](const json& part, const storage::KeptChoice& choice) {
    return part[0] == choice.kernel && part[1] == choice.key_text && part[3] == choice.config_id;
  };
  const bool of_sets = !parts.empty() && parts[0][2] == no_identity;  // maybe of several
  if (of_sets) {
    return !entry.choices.empty() &&
           std::all_of(entry.choices.begin(), entry.choices.end(), [&](const auto& choice) {
             return std::any_of(parts.begin(), parts.end(),
                                [&](const json& part) { return is_of(part, choice); });
           });
  }
  return !parts.empty() && std::all_of(parts.begin(), parts.end(), [&](const json& part) {
    return std::any_of(entry.choices.begin(), entry.choices.end(),
                       [&](const auto& choice) { return is_of(part, choice); });
  });
}

bool is_of_defaults(const std::string& text) {
  const json parts = json::parse(text);
  return std::all_of(parts.begin(), parts.end(), [](const json& part) { return part.back() == 0; });
}

}  // namespace contextual::tuning
