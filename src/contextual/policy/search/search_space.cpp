#include "contextual/policy/search/search_space.hpp"

#include "contextual/policy/search/random_numbers.hpp"

#include <algorithm>
#include <utility>

namespace contextual::policy::search {

namespace {

std::vector<std::uint64_t> parameter_words(std::size_t problem, std::size_t id, const Config& config) {
  std::vector<std::uint64_t> words;
  for (const Config::Entry& entry : config.entries()) {
    Config single{entry};
    words.push_back(mixed(problem + 1, single.hash()));
  }
  if (words.empty()) {
    words.push_back(mixed(problem + 1, id));
  }
  return words;
}

float likeness_of(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  const std::size_t common = std::min(a.size(), b.size());
  std::size_t same = 0;
  for (std::size_t i = 0; i < common; ++i) {
    same += a[i] == b[i] ? 1 : 0;
  }
  return static_cast<float>(same) / static_cast<float>(std::max(a.size(), b.size()));
}

}  // namespace

SearchSpace::SearchSpace(const std::vector<SearchProblem>& problems) {
  for (std::size_t p = 0; p < problems.size(); ++p) {
    std::vector<ConfigEntry>& configs = problems_.emplace_back();
    for (std::size_t c = 0; c < problems[p].configs.size(); ++c) {
      const SearchConfig& config = problems[p].configs[c];
      const bool closed = config.candidate && config.refinement;
      configs.push_back({config.candidate && !closed, closed, parameter_words(p, c, config.parameters), {}});
    }
    for (ConfigEntry& config : configs) {
      for (const ConfigEntry& other : configs) {
        config.likeness.push_back(likeness_of(config.parameters, other.parameters));
      }
    }
  }
}

void SearchSpace::reject(std::size_t problem, std::size_t config) {
  problems_[problem][config].candidate = false;
  problems_[problem][config].closed = false;
}

void SearchSpace::open(const Assignment& assignment) {
  for (std::size_t p = 0; p < problems_.size(); ++p) {
    ConfigEntry& config = problems_[p][assignment[p]];
    config.candidate = config.candidate || std::exchange(config.closed, false);
  }
}

bool SearchSpace::candidate(const Assignment& assignment) const {
  for (std::size_t p = 0; p < problems_.size(); ++p) {
    if (!problems_[p][assignment[p]].candidate) {
      return false;
    }
  }
  return true;
}

std::size_t SearchSpace::next_candidate(std::size_t problem, std::size_t begin) const {
  std::size_t config = begin;
  while (config < config_count(problem) && !candidate(problem, config)) {
    ++config;
  }
  return config;
}

std::optional<Assignment> SearchSpace::first() const {
  Assignment assignment;
  for (std::size_t p = 0; p < problems_.size(); ++p) {
    assignment.push_back(next_candidate(p, 0));
    if (assignment[p] == config_count(p)) {
      return std::nullopt;
    }
  }
  return assignment;
}

bool SearchSpace::advance(Assignment& assignment, std::size_t first) const {
  for (std::size_t p = first; p < assignment.size(); ++p) {
    assignment[p] = next_candidate(p, assignment[p] + 1);
    if (assignment[p] < config_count(p)) {
      return true;
    }
    assignment[p] = next_candidate(p, 0);
  }
  return false;
}

std::size_t SearchSpace::size(std::size_t limit) const {
  std::size_t size = 1;
  for (const auto& configs : problems_) {
    const auto candidates = static_cast<std::size_t>(
        std::count_if(configs.begin(), configs.end(), [](const ConfigEntry& c) { return c.candidate; }));
    size = candidates == 0 ? 0 : std::min(limit, size * candidates);
  }
  return size;
}

std::size_t SearchSpace::matches(const Assignment& a, const Assignment& b) const noexcept {
  std::size_t matches = 0;
  for (std::size_t p = 0; p < problems_.size(); ++p) {
    matches += a[p] == b[p] ? 1 : 0;
  }
  return matches;
}

double SearchSpace::likeness(const Assignment& a, const Assignment& b) const noexcept {
  double sum = 0;
  for (std::size_t p = 0; p < problems_.size(); ++p) {
    sum += static_cast<double>(problems_[p][a[p]].likeness[b[p]]);
  }
  return sum / static_cast<double>(problems_.size());
}

}  // namespace contextual::policy::search
