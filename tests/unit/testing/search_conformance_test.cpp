#include "support/catch.hpp"

#include <contextual/testing/search_conformance.hpp>

namespace contextual::testing::search_conformance_test {

namespace {

enum class Defect {
  none,
  ends_with_runs_left,
  runs_left_at_end,
  plan_changes,
  differs_by_instance,
  chooses_by_instance,
  ignores_rejections,
  ignores_losses,
  chooses_ruled_out,
  tries_left_out,
  repeats_infeasible,
  goes_on_beyond_budget,
  short_bound,
  short_assignment,
  unknown_config,
  negative_samples,
  chooses_infeasible,
  chooses_rejected,
  chooses_unknown,
  chooses_untried,
  never_chooses,
  throws,
};

/// Tries the first assignments once each, two in a batch, as long as runs are left; but for its defect.
class BrokenSearch final : public Search {
 public:
  BrokenSearch(const SearchRequest& request, Defect defect)
      : defect_(defect), request_(request), left_(request.max_runs), instance_(instances++) {
    Assignment assignment(request.problems.size(), 0);
    for (bool more = true; more && queue_.size() < most_assignments;) {
      queue_.push_back(assignment);
      more = false;
      for (std::size_t p = 0; p < assignment.size() && !more; ++p) {
        assignment[p] = (assignment[p] + 1) % request.problems[p].configs.size();
        more = assignment[p] != 0;
      }
    }
    for (const SearchSample& sample : request.walked) {
      if (sample.runs.empty()) {
        forget(sample.assignment);
      }
    }
    forget_unusable();
  }

  std::vector<SearchTrial> plan() const override {
    ++plans_;
    if (is(Defect::throws)) {
      throw std::runtime_error("no plan");
    }
    std::vector<SearchTrial> trials;
    std::int64_t cost = 0;
    for (const Assignment& assignment : queue_) {
      cost += 3;
      if (trials.size() < 2 && (cost <= left_ || is(Defect::goes_on_beyond_budget))) {
        trials.push_back({assignment, 1});
      }
    }
    if (is(Defect::ends_with_runs_left) && queue_.size() == 1) {
      return {};
    }
    for (SearchTrial& trial : trials) {
      spoil(trial);
    }
    return trials;
  }

  void observe(const SearchObservation& observation) override {
    const Assignment& assignment = observation.trial.assignment;
    left_ -= static_cast<std::int64_t>(observation.runs.size());
    if (observation.infeasible) {
      infeasible_ = assignment;
      makespans_.erase(assignment);
      if (!is(Defect::repeats_infeasible)) {
        forget(assignment);
      }
    } else if (observation.runs.size() > 1) {
      forget(assignment);
      if (observation.runs[1].makespan_ns) {
        makespans_[assignment] = *observation.runs[1].makespan_ns;
      }
    }
  }

  void reject(std::size_t problem, std::size_t config_id) override {
    rejected_ = true;
    request_.problems[problem].configs[config_id].candidate = false;
    if (!is(Defect::ignores_rejections)) {
      forget_unusable();
    }
  }

  void lost(const Assignment& assignment) override {
    if (!is(Defect::chooses_ruled_out)) {
      makespans_.erase(assignment);
    }
    if (is(Defect::ignores_losses)) {
      queue_.insert(queue_.begin(), assignment);
    }
  }

  std::optional<Assignment> best() const override {
    if (is(Defect::never_chooses)) {
      return std::nullopt;
    }
    if (is(Defect::chooses_infeasible) && infeasible_) {
      return infeasible_;
    }
    if (is(Defect::chooses_untried)) {
      return Assignment(request_.problems.size(), 0);
    }
    if (is(Defect::chooses_unknown)) {
      return Assignment(request_.problems.size() + 1, 0);
    }
    if (is(Defect::chooses_by_instance) && instance_ % 2 == 1) {
      return std::nullopt;
    }
    std::optional<Assignment> best;
    for (const auto& [assignment, makespan] : makespans_) {
      if ((usable(assignment) || is(Defect::chooses_rejected)) &&
          (!best || makespan < makespans_.at(*best))) {
        best = assignment;
      }
    }
    return best;
  }

  std::string reason() const override { return "the first"; }

  std::size_t remaining_runs() const override {
    if (is(Defect::throws) || (is(Defect::short_bound) && !plan().empty())) {
      return 1;
    }
    const bool over = queue_.empty() || (left_ < 3 && !is(Defect::goes_on_beyond_budget));
    const std::size_t at_end = is(Defect::runs_left_at_end) ? 1 : 0;
    return over ? at_end : static_cast<std::size_t>(std::max<std::int64_t>(1, left_));
  }

 private:
  static constexpr std::size_t most_assignments = 30;

  bool is(Defect defect) const { return defect_ == defect; }

  bool usable(const Assignment& assignment) const {
    for (std::size_t p = 0; p < assignment.size(); ++p) {
      if (!request_.problems[p].configs[assignment[p]].candidate) {
        return false;
      }
    }
    return true;
  }

  void forget(const Assignment& assignment) { std::erase(queue_, assignment); }

  void forget_unusable() {
    if (!is(Defect::tries_left_out) || rejected_) {
      std::erase_if(queue_, [this](const Assignment& assignment) { return !usable(assignment); });
    }
  }

  void spoil(SearchTrial& trial) const {
    if (is(Defect::plan_changes)) {
      trial.samples = 1 + plans_ % 2;
    }
    if (is(Defect::differs_by_instance)) {
      trial.samples = 1 + instance_ % 2;
    }
    if (is(Defect::negative_samples)) {
      trial.samples = -1;
    }
    if (is(Defect::short_assignment)) {
      trial.assignment.pop_back();
    }
    if (is(Defect::unknown_config)) {
      trial.assignment.back() += request_.problems.back().configs.size();
    }
  }

  static inline int instances = 0;

  const Defect defect_;
  SearchRequest request_;
  std::int64_t left_;
  const int instance_;
  mutable int plans_ = 0;
  bool rejected_ = false;
  std::vector<Assignment> queue_;
  std::map<Assignment, std::int64_t> makespans_;
  std::optional<Assignment> infeasible_;
};

std::string violations_of(Defect defect) {
  std::string text;
  const SearchFactory factory = [defect](const SearchRequest& request) {
    return std::make_unique<BrokenSearch>(request, defect);
  };
  for (const std::string& line : check_search(factory)) {
    text += line + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("check_search: the built-in search conforms") {
  CHECK(check_search(joint_search) == std::vector<std::string>{});
}

TEST_CASE("check_search: a search without a defect conforms") {
  CHECK(violations_of(Defect::none) == "");
}

TEST_CASE("check_search: every planted defect of the plan is named") {
  CHECK_THAT(violations_of(Defect::ends_with_runs_left),
             ContainsSubstring("plan() is empty and remaining_runs()"));
  CHECK_THAT(violations_of(Defect::runs_left_at_end),
             ContainsSubstring("plan() is empty and remaining_runs()"));
  CHECK_THAT(violations_of(Defect::plan_changes), ContainsSubstring("plan() changes without an observation"));
  CHECK_THAT(violations_of(Defect::differs_by_instance), ContainsSubstring("two instances plan differently"));
  CHECK_THAT(violations_of(Defect::ignores_rejections), ContainsSubstring("rejected is planned"));
  CHECK_THAT(violations_of(Defect::ignores_losses), ContainsSubstring("that has lost is planned"));
  CHECK_THAT(violations_of(Defect::tries_left_out), ContainsSubstring("left out or rejected is planned"));
  CHECK_THAT(violations_of(Defect::repeats_infeasible),
             ContainsSubstring("an infeasible assignment is planned again"));
  CHECK_THAT(violations_of(Defect::goes_on_beyond_budget), ContainsSubstring("for which no run is left"));
  CHECK_THAT(violations_of(Defect::short_bound), ContainsSubstring("less than the runs that came"));
  CHECK_THAT(violations_of(Defect::short_assignment), ContainsSubstring("an assignment of a wrong size"));
  CHECK_THAT(violations_of(Defect::unknown_config), ContainsSubstring("a config that does not exist"));
  CHECK_THAT(violations_of(Defect::negative_samples), ContainsSubstring("a negative number of samples"));
  CHECK_THAT(violations_of(Defect::throws), ContainsSubstring("the search throws: no plan"));
}

TEST_CASE("check_search: a defect that shows everywhere is one line, with the first request") {
  for (const Defect defect : {Defect::differs_by_instance, Defect::chooses_untried, Defect::throws}) {
    const std::string text = violations_of(defect);
    INFO(text);
    CHECK(std::count(text.begin(), text.end(), '\n') <= 4);
    CHECK_THAT(text, ContainsSubstring(" ["));
  }
}

TEST_CASE("check_search: every planted defect of the choice is named") {
  CHECK_THAT(violations_of(Defect::chooses_by_instance),
             ContainsSubstring("two instances choose differently"));
  CHECK_THAT(violations_of(Defect::chooses_infeasible), ContainsSubstring("best() is infeasible"));
  CHECK_THAT(violations_of(Defect::chooses_rejected),
             ContainsSubstring("best() has a config that is left out or rejected"));
  CHECK_THAT(violations_of(Defect::chooses_ruled_out),
             ContainsSubstring("best() is an assignment that has lost"));
  CHECK_THAT(violations_of(Defect::chooses_unknown), ContainsSubstring("best() has a wrong size"));
  CHECK_THAT(violations_of(Defect::chooses_untried), ContainsSubstring("best() has never been run"));
  CHECK_THAT(violations_of(Defect::never_chooses), ContainsSubstring("best() is empty although"));
}

TEST_CASE("check_search: a factory that makes nothing is a violation") {
  CHECK(check_search({}) == std::vector<std::string>{"the factory is empty"});
  CHECK_THAT(check_search([](const SearchRequest&) { return nullptr; }).front(),
             ContainsSubstring("the factory makes no search"));
}

}  // namespace contextual::testing::search_conformance_test
