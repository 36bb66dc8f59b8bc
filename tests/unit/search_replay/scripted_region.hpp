#pragma once

/// \file
/// A region of plain functions without noise, which remembers what was run.

#include "search/replayed_region.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace search_replay::test {

class ScriptedRegion final : public ReplayedRegion {
 public:
  /// `makespan_ns` returns nothing for an infeasible assignment.
  ScriptedRegion(const std::vector<std::size_t>& config_counts,
                 std::function<std::optional<double>(const Assignment&)> makespan_ns, double best_ns)
      : makespan_ns_(std::move(makespan_ns)), best_ns_(best_ns) {
    for (const std::size_t count : config_counts) {
      problems_.push_back({"kernel_" + std::to_string(problems_.size()), std::vector<Config>(count)});
    }
  }

  const std::vector<ReplayedProblem>& problems() const override { return problems_; }
  std::int64_t joins_after_runs(std::size_t problem) const override {
    return problem + 1 == problems_.size() ? last_joins_after : 0;
  }
  std::optional<Sample> run(const Assignment& assignment) override {
    batches.back().push_back(assignment);
    ++runs_;
    const std::optional<double> makespan = makespan_ns_(assignment);
    if (!makespan) {
      return std::nullopt;
    }
    const auto time_ns = static_cast<std::int64_t>(*makespan);
    return Sample{time_ns, std::vector<std::int64_t>(assignment.size(), time_ns)};
  }
  void exchange() override { batches.emplace_back(); }
  std::int64_t runs() const override { return runs_; }
  std::optional<double> truth_ns(const Assignment& assignment) const override {
    return makespan_ns_(assignment);
  }
  double best_ns() const override { return best_ns_; }

  std::int64_t last_joins_after = 0;
  std::vector<std::vector<Assignment>> batches{1};  ///< what was run between exchanges

 private:
  std::function<std::optional<double>(const Assignment&)> makespan_ns_;
  double best_ns_;
  std::vector<ReplayedProblem> problems_;
  std::int64_t runs_ = 0;
};

}  // namespace search_replay::test
