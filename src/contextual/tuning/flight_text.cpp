#include "contextual/tuning/flight_text.hpp"

#include <contextual/detail/config/hex_text.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace contextual::tuning {

using nlohmann::json;

std::string flight_text(const agreement::ProblemSet& problems, const policy::IterationPlan& planned) {
  const Assignment assignment = problems.state().assignment_of(planned);
  json text = json::array();
  for (std::size_t p = 0; p < assignment.size(); ++p) {
    const detail::Problem& problem = problems.slots()[p]->problem;
    text.push_back({problem.name, problem.key_text, detail::hex_text(problem.identity), assignment[p]});
  }
  return text.dump(-1, ' ', false, json::error_handler_t::replace);
}

bool is_of_defaults(const std::string& text) {
  const json problems = json::parse(text, nullptr, false);
  return problems.is_array() && std::all_of(problems.begin(), problems.end(), [](const json& problem) {
           return problem.is_array() && !problem.empty() && problem.back() == 0;
         });
}

}  // namespace contextual::tuning
