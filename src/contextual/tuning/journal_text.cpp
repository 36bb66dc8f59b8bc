#include "contextual/tuning/journal_text.hpp"

#include <contextual/detail/config/hex_text.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace contextual::tuning {

using nlohmann::json;

namespace {

/// Of a problem in the text of a kept set.
constexpr const char* no_identity = "kept";
/// Of a config that is being made ready.
constexpr const char* preparing = "prepare";

bool is_of(const json& problem, const storage::KeptChoice& choice) {
  return problem[0] == choice.kernel && problem[1] == choice.key_text && problem[3] == choice.config_id;
}

json problems_of(const std::string& text) {
  json problems = json::parse(text, nullptr, false);
  const bool complete =
      problems.is_array() && std::all_of(problems.begin(), problems.end(), [](const json& problem) {
        return problem.is_array() && problem.size() == 4;
      });
  return complete ? problems : json::array();
}

}  // namespace

std::string journal_text(const agreement::ProblemSet& problems, const policy::IterationPlan& planned) {
  const Assignment assignment = problems.state().assignment_of(planned);
  json text = json::array();
  for (std::size_t p = 0; p < assignment.size(); ++p) {
    const detail::Problem& problem = problems.slots()[p]->problem;
    text.push_back({problem.name, problem.key_text, detail::hex_text(problem.identity), assignment[p]});
  }
  return text.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string journal_text(const RegionReport& installed) {
  json text = json::array();
  for (const ProblemReport& problem : installed.problems) {
    if (problem.reused && problem.pinned_by.empty()) {
      text.push_back({problem.kernel, problem.key, no_identity, problem.choice});
    }
  }
  return text.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string preparing_text(const detail::Problem& problem, std::size_t config_id) {
  const json text = json::array({json::array({problem.name, problem.key_text, preparing, config_id})});
  return text.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string config_text(const detail::Problem& problem, std::size_t config_id) {
  const json text = json::array(
      {json::array({problem.name, problem.key_text, detail::hex_text(problem.identity), config_id})});
  return text.dump(-1, ' ', false, json::error_handler_t::replace);
}

bool launches(const storage::ChoiceSet& entry, const std::string& text) {
  const json problems = problems_of(text);
  if (problems.empty()) {
    return false;
  }
  const auto is_in_text = [&](const storage::KeptChoice& choice) {
    return std::any_of(problems.begin(), problems.end(),
                       [&](const json& problem) { return is_of(problem, choice); });
  };
  const auto is_in_set = [&](const json& problem) {
    return std::any_of(entry.choices.begin(), entry.choices.end(),
                       [&](const storage::KeptChoice& choice) { return is_of(problem, choice); });
  };
  if (problems.front()[2] == no_identity) {  // the text may be of several sets
    return std::any_of(problems.begin(), problems.end(), is_in_set) &&
           std::all_of(entry.choices.begin(), entry.choices.end(), is_in_text);
  }
  return std::all_of(problems.begin(), problems.end(), is_in_set);
}

bool is_of_defaults(const std::string& text) {
  const json problems = json::parse(text, nullptr, false);
  return problems.is_array() && std::all_of(problems.begin(), problems.end(), [](const json& problem) {
           return problem.is_array() && !problem.empty() && problem.back() == 0;
         });
}

}  // namespace contextual::tuning
