#include "contextual/policy/search_request.hpp"

#include "contextual/policy/closing_comparison.hpp"
#include "contextual/policy/search_record.hpp"

#include <contextual/detail/config/stable_hash.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace contextual::policy {
namespace {

// In sixteenths of all runs.
constexpr std::int64_t most_orienting = 4;  ///< of a walk that orients a search
constexpr std::int64_t usually_orienting = 2;
constexpr std::int64_t least_after = 6;      ///< after a long walk by own times
constexpr std::int64_t least_searching = 3;  ///< of each search with alternatives, which share it
constexpr std::int64_t kept_closing = 1;     ///< for closing comparisons
constexpr std::int64_t most_closing = 12;

std::int64_t runs_in_all(const PolicyOptions& options) {
  return options.search_runs > 0 ? options.search_runs : numbers_of(options.search).runs;
}

std::int64_t sixteenths(const PolicyOptions& options, std::int64_t count) {
  return runs_in_all(options) * count / 16;
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

LevelNumbers numbers_of(SearchLevel level) {
  constexpr int first_run_lead_in_sample = 3;
  switch (level) {
    case SearchLevel::quick:
      return {150, 0};
    case SearchLevel::thorough:
      return {800, first_run_lead_in_sample};
    default:
      return {400, first_run_lead_in_sample};
  }
}

int orienting_uses(const PolicyOptions& options, std::size_t config_count) {
  const auto count = static_cast<std::int64_t>(config_count);
  const int least = numbers_of(options.search).walk_uses;
  if (least == 0 || least * count > sixteenths(options, most_orienting)) {
    return 0;
  }
  const std::int64_t uses = std::max<std::int64_t>(least, sixteenths(options, usually_orienting) / count);
  return static_cast<int>(std::min<std::int64_t>(uses, options.n_warmup + options.n_repeat));
}

std::int64_t runs_kept_for_closing(const PolicyOptions& options, std::size_t parts,
                                   std::int64_t comparisons) {
  const std::int64_t shown_easily = ClosingComparison::runs_of(options.closing_rounds);
  const std::int64_t part = sixteenths(options, kept_closing) / static_cast<std::int64_t>(parts);
  return options.closing_rounds > 0 ? std::max(part, shown_easily) + (comparisons - 1) * shown_easily : 0;
}

std::int64_t runs_after_walk(const PolicyOptions& options, std::int64_t iterations, std::size_t parts,
                             std::int64_t comparisons) {
  const auto shared_by = static_cast<std::int64_t>(parts);
  const std::int64_t left = std::max(runs_in_all(options) - iterations, sixteenths(options, least_after));
  const bool several = parts > 1 || comparisons > 1;
  const std::int64_t in_any_case = several ? sixteenths(options, least_searching) / shared_by +
                                                 runs_kept_for_closing(options, parts, comparisons)
                                           : 1;
  return std::max((left - 1) / shared_by, in_any_case);
}

std::int64_t most_runs_for_closing(const PolicyOptions& options, std::size_t parts) {
  return sixteenths(options, most_closing) / static_cast<std::int64_t>(parts);
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
