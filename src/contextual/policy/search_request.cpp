#include "contextual/policy/search_request.hpp"

#include "contextual/policy/closing_comparison.hpp"
#include "contextual/policy/search_record.hpp"

#include <contextual/detail/config/stable_hash.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace contextual::policy {
namespace {

constexpr std::int64_t least_part = 4;    ///< a long walk leaves the search one of so many of all runs
constexpr std::int64_t closing_part = 4;  ///< closing comparisons take one of so many of all runs at most

std::int64_t runs_in_all(const PolicyOptions& options) {
  return options.search_runs > 0 ? options.search_runs : runs_of(options.search);
}

std::uint64_t seed_of(const std::vector<ProblemState>& problems, std::int64_t iterations) {
  detail::StableHash hash;
  hash.add(static_cast<std::uint64_t>(iterations));
  for (const ProblemState& problem : problems) {
    hash.add(std::string_view(problem.request().kernel))
        .add(std::string_view(problem.request().key))
        .add(problem.record().configs.size());
  }
  return hash.value();
}

SearchProblem problem_of(const ProblemState& problem) {
  SearchProblem described{problem.request().kernel, problem.request().key, {}};
  const std::vector<Config>* const parameters = problem.request().parameters.get();
  for (std::size_t id = 0; id < problem.record().configs.size(); ++id) {
    SearchConfig config;
    config.parameters = parameters != nullptr && id < parameters->size() ? (*parameters)[id] : Config();
    config.candidate = problem.viable(id);
    config.refinement = problem.is_refinement(id);
    const Summary time = problem.own_time(id);
    if (time.count > 0) {
      config.time_ns = time.centre_ns;
    }
    described.configs.push_back(std::move(config));
  }
  return described;
}

/// By starting point; `start` for the problems of which nothing else is known.
std::vector<Assignment> chosen_elsewhere(const std::vector<ProblemState>& problems,
                                         const std::vector<std::size_t>& members, const Assignment& start) {
  std::vector<Assignment> points;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const ProblemState& problem = problems[members[i]];
    const auto& chosen = problem.request().chosen_elsewhere;
    points.resize(std::max(points.size(), chosen.size()), start);
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      if (chosen[k] && problem.viable(*chosen[k])) {
        points[k][i] = *chosen[k];
      }
    }
  }
  std::vector<Assignment> different;
  for (Assignment& point : points) {
    if (point != start && std::find(different.begin(), different.end(), point) == different.end()) {
      different.push_back(std::move(point));
    }
  }
  return different;
}

}  // namespace

std::int64_t runs_of(SearchLevel level) {
  switch (level) {
    case SearchLevel::quick:
      return 150;
    case SearchLevel::thorough:
      return 800;
    default:
      return 400;
  }
}

std::int64_t runs_for_closing(const PolicyOptions& options, std::size_t parts) {
  return runs_in_all(options) / closing_part / static_cast<std::int64_t>(parts);
}

std::int64_t runs_for_search(const PolicyOptions& options, std::int64_t iterations, std::size_t parts,
                             std::int64_t comparisons) {
  const std::int64_t all = runs_in_all(options);
  const std::int64_t closing = 1 + comparisons * ClosingComparison::runs_of(options.closing_rounds);
  const auto shared_by = static_cast<std::int64_t>(parts);
  return std::max({(all - iterations) / shared_by - closing, all / least_part / shared_by, std::int64_t{1}});
}

std::size_t candidates_of(const std::vector<ProblemState>& problems,
                          const std::vector<std::size_t>& members) {
  std::size_t count = 1;
  for (const std::size_t member : members) {
    count = std::min(SearchRecord::most_counted, count * problems[member].viable_count());
  }
  return count;
}

SearchRequest request_for(const std::vector<ProblemState>& problems, const std::vector<std::size_t>& members,
                          Assignment start, std::int64_t iterations) {
  SearchRequest request;
  for (const std::size_t member : members) {
    request.problems.push_back(problem_of(problems[member]));
  }
  request.further_starts = chosen_elsewhere(problems, members, start);
  request.start = std::move(start);
  request.seed = seed_of(problems, iterations);
  return request;
}

}  // namespace contextual::policy
