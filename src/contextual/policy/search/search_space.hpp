#pragma once

/// \file
/// The space of assignments that a search looks through.

#include <contextual/search.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace contextual::policy::search {

/// The problems' configs: which are candidates, and how alike they are. A refinement is no candidate until it
/// is opened. Not thread-safe.
class SearchSpace {
 public:
  explicit SearchSpace(const std::vector<SearchProblem>& problems);

  std::size_t problem_count() const noexcept { return problems_.size(); }
  std::size_t config_count(std::size_t problem) const { return problems_[problem].size(); }
  bool candidate(std::size_t problem, std::size_t config) const {
    return problems_[problem][config].candidate;
  }
  bool candidate(const Assignment& assignment) const;
  void reject(std::size_t problem, std::size_t config);

  /// Makes the refinements in an assignment candidates, unless they are rejected or left out.
  void open(const Assignment& assignment);
  /// Returns true for a refinement that may still be opened.
  bool closed(std::size_t problem, std::size_t config) const { return problems_[problem][config].closed; }

  /// Returns the number of assignments of candidates, or `limit` if there are more.
  std::size_t size(std::size_t limit) const;

  /// Returns the first candidate of every problem, or nothing if a problem has none.
  std::optional<Assignment> first() const;

  /// Turns an assignment of candidates into the next one: the configs of problem `first` change fastest,
  /// those of the problems before it not at all. Returns false after the last one, when it begins again at
  /// the first candidate of all of them. However many configs are no candidates, they are no steps.
  bool advance(Assignment& assignment, std::size_t first = 0) const;

  /// Returns one word for each parameter of a config. Two configs of one problem have the same word where
  /// they have the same value; the words of different problems and parameters differ. A config without
  /// parameters has one word, its own.
  const std::vector<std::uint64_t>& parameters(std::size_t problem, std::size_t config) const {
    return problems_[problem][config].parameters;
  }

  /// Returns the number of problems for which two assignments have the same config.
  std::size_t matches(const Assignment& a, const Assignment& b) const noexcept;
  /// Returns the fraction of parameters that two assignments share, averaged over problems: 0 to 1.
  double likeness(const Assignment& a, const Assignment& b) const noexcept;
  /// Returns by how much the likeness to an assignment with config `other` of the problem grows if a config
  /// `from` of that problem is replaced by `to`.
  double likeness_change(std::size_t problem, std::size_t from, std::size_t to,
                         std::size_t other) const noexcept {
    const std::vector<float>& likeness = problems_[problem][other].likeness;
    return static_cast<double>(likeness[to] - likeness[from]) / static_cast<double>(problems_.size());
  }

 private:
  /// Returns the first candidate from config `begin` on, or the number of configs if there is none.
  std::size_t next_candidate(std::size_t problem, std::size_t begin) const;

  struct ConfigEntry {
    bool candidate = true;
    bool closed = false;  ///< no candidate yet
    std::vector<std::uint64_t> parameters;
    std::vector<float> likeness;  ///< to each config of the problem
  };

  std::vector<std::vector<ConfigEntry>> problems_;
};

}  // namespace contextual::policy::search
