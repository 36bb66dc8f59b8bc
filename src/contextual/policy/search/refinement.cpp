#include "contextual/policy/search/refinement.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace contextual::policy::search {

namespace {

std::optional<double> number(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    return static_cast<double>(*integer);
  }
  const auto* real = std::get_if<double>(&value);
  return real != nullptr ? std::optional(*real) : std::nullopt;
}

/// The other parameters of a config, and which one is left out.
std::string others_of(const Config& config, const Config::Entry& without) {
  Config others;
  for (const Config::Entry& entry : config.entries()) {
    if (entry.name != without.name) {
      others.set(entry.name, entry.value);
    }
  }
  return without.name + " " + others.to_string();
}

double distance(double a, double b) {
  return a < b ? b - a : a - b;
}

/// Of the closed ones that follow `begin`, up to the next candidate, the nearest to the middle. What was left
/// out or rejected is neither.
template <typename Iterator, typename IsClosed, typename IsCandidate>
std::optional<std::size_t> halfway(Iterator begin, Iterator end, const IsClosed& is_closed,
                                   const IsCandidate& is_candidate) {
  const auto first = std::next(begin);
  const auto stop = std::find_if(first, end, is_candidate);
  std::vector<std::pair<double, std::size_t>> closed;  // values with their configs
  for (auto place = first; place != stop; ++place) {
    if (is_closed(*place)) {
      closed.emplace_back(place->value, place->config);
    }
  }
  if (closed.empty()) {
    return std::nullopt;
  }
  const double limit = stop == end ? closed.back().first : stop->value;
  const double middle = begin->value + (limit - begin->value) / 2;
  return std::min_element(closed.begin(), closed.end(),
                          [middle](const auto& a, const auto& b) {
                            return distance(a.first, middle) < distance(b.first, middle);
                          })
      ->second;
}

}  // namespace

Refinement::Refinement(const std::vector<SearchProblem>& problems) {
  for (const SearchProblem& problem : problems) {
    const auto refined = std::any_of(problem.configs.begin(), problem.configs.end(),
                                     [](const SearchConfig& config) { return config.refinement; });
    std::map<std::string, std::vector<Place>> by_others;
    for (std::size_t id = 0; refined && id < problem.configs.size(); ++id) {
      const Config& config = problem.configs[id].parameters;
      for (const Config::Entry& entry : config.entries()) {
        if (const std::optional<double> value = number(entry.value)) {
          by_others[others_of(config, entry)].push_back({*value, id});
        }
      }
    }
    std::vector<std::vector<Place>>& lines = lines_.emplace_back();
    for (auto& [others, line] : by_others) {
      const auto refinements = std::count_if(line.begin(), line.end(), [&](const Place& place) {
        return problem.configs[place.config].refinement;
      });
      // Others than those of the refined parameter have refinements only, or none.
      if (refinements > 0 && refinements < std::ssize(line)) {
        std::sort(line.begin(), line.end(), [](const Place& a, const Place& b) { return a.value < b.value; });
        lines.push_back(std::move(line));
        possible_ = true;
      }
    }
  }
}

std::vector<std::size_t> Refinement::configs_beside(std::size_t problem, std::size_t centre,
                                                    const SearchSpace& space) const {
  const auto is_closed = [&](const Place& place) { return space.closed(problem, place.config); };
  const auto is_candidate = [&](const Place& place) { return space.candidate(problem, place.config); };
  std::vector<std::size_t> found;
  for (const std::vector<Place>& line : lines_[problem]) {
    const auto at =
        std::find_if(line.begin(), line.end(), [&](const Place& place) { return place.config == centre; });
    if (at == line.end()) {
      continue;
    }
    for (const std::optional<std::size_t> config :
         {halfway(std::make_reverse_iterator(std::next(at)), line.rend(), is_closed, is_candidate),
          halfway(at, line.end(), is_closed, is_candidate)}) {
      if (config) {
        found.push_back(*config);
      }
    }
  }
  return found;
}

std::vector<Assignment> Refinement::beside(const Assignment& centre, const SearchSpace& space) const {
  std::vector<Assignment> of_one;
  std::vector<Assignment> of_two;
  for (std::size_t p = 0; p < lines_.size(); ++p) {
    const std::size_t of_problems_before = of_one.size();
    for (const std::size_t config : configs_beside(p, centre[p], space)) {
      Assignment assignment = centre;
      assignment[p] = config;
      for (std::size_t i = 0; i < of_problems_before; ++i) {
        of_two.push_back(of_one[i]);
        of_two.back()[p] = config;
      }
      of_one.push_back(std::move(assignment));
    }
  }
  of_one.insert(of_one.end(), of_two.begin(), of_two.end());
  return of_one;
}

}  // namespace contextual::policy::search
