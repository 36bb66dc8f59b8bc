#include "search/made_up/made_up_region.hpp"

#include "support/catch.hpp"

#include <limits>

namespace contextual::made_up_region_test {

using namespace search_replay::made_up;

namespace {

/// Calls `visit` with every assignment.
template <typename Visit>
void for_each_assignment(const Model& model, const Visit& visit) {
  Assignment assignment(model.kernels().size(), 0);
  for (std::size_t p = 0; p < assignment.size();) {
    visit(assignment);
    for (p = 0; p < assignment.size() && ++assignment[p] == model.kernels()[p].configs.size(); ++p) {
      assignment[p] = 0;
    }
  }
}

double size_of(const Model& model) {
  double size = 1;
  for (const Kernel& kernel : model.kernels()) {
    size *= static_cast<double>(kernel.configs.size());
  }
  return size;
}

const Kind& kind_named(std::string_view name) {
  return *std::find_if(all_kinds().begin(), all_kinds().end(),
                       [&](const Kind& kind) { return kind.name == name; });
}

}  // namespace

TEST_CASE("a made-up region's best makespan is the least of all assignments") {
  for (const Kind& kind : all_kinds()) {
    const bool of_pairs =
        kind.name == "close_pairs" || kind.name == "two_best" || kind.name == "racing_streams";
    if (kind.name.starts_with("fine_grids")) {
      continue;  // of one size, and the best one may not be among the configs: see below
    }
    INFO(std::string(kind.name));
    std::size_t most_problems = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      search_replay::RandomNumbers random(seed);
      const std::unique_ptr<Model> model = kind.make_model(random);
      if (size_of(*model) > 100'000) {
        continue;
      }
      most_problems = std::max(most_problems, model->kernels().size());
      double least_ns = std::numeric_limits<double>::infinity();
      for_each_assignment(*model, [&](const Assignment& assignment) {
        if (const auto times = model->times(assignment)) {
          least_ns = std::min(least_ns, times->makespan_ns);
        }
      });
      CHECK(model->best_ns() == Approx(least_ns));
    }
    CHECK(most_problems > (of_pairs ? 1 : 2));  // more than one pair, or stream of two, was tried
  }
}

TEST_CASE("fine grids: all configs have the best makespan, the coarse ones do not, refinements are flagged") {
  std::size_t missed = 0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const auto least_of = [&](const char* name) {
      search_replay::RandomNumbers random(seed);
      const std::unique_ptr<Model> model = kind_named(name).make_model(random);
      CHECK_FALSE(model->times({0, 0}));
      double least_ns = std::numeric_limits<double>::infinity();
      for_each_assignment(*model, [&](const Assignment& assignment) {
        if (const auto times = model->times(assignment)) {
          least_ns = std::min(least_ns, times->makespan_ns);
        }
      });
      return least_ns / model->best_ns();
    };
    CHECK(least_of("fine_grids_all") == Approx(1));
    missed += least_of("fine_grids_coarse") > 1.01 ? 1 : 0;
  }
  CHECK(missed > 0);
  search_replay::RandomNumbers random(1);
  const std::unique_ptr<Model> refined = kind_named("fine_grids").make_model(random);
  for (const auto& kernel : refined->kernels()) {
    REQUIRE(kernel.refinement_count > 0);
    CHECK(kernel.refinement_count < kernel.configs.size());
  }
}

TEST_CASE("of the pairs of an infeasible kind 40 % are infeasible, and the defaults as it says") {
  for (const bool defaults_feasible : {true, false}) {
    const Kind& kind = kind_named(defaults_feasible ? "infeasible_pairs" : "infeasible_defaults");
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      search_replay::RandomNumbers random(seed);
      const std::unique_ptr<Model> model = kind.make_model(random);
      Assignment assignment(model->kernels().size(), 0);
      CHECK(model->times(assignment).has_value() == defaults_feasible);
      double infeasible = 0;
      double pairs = 0;
      for (; assignment[0] < model->kernels()[0].configs.size(); ++assignment[0]) {
        for (assignment[1] = 0; assignment[1] < model->kernels()[1].configs.size(); ++assignment[1]) {
          infeasible += model->times(assignment) ? 0 : 1;
          ++pairs;
        }
      }
      CHECK(infeasible / pairs == Approx(0.4).margin(0.03));
    }
  }
}

TEST_CASE("made-up regions of one seed answer alike, and those of another seed do not") {
  const Kind& kind = kind_named("streams");
  MadeUpRegion first(kind, 1);
  MadeUpRegion same(kind, 1);
  MadeUpRegion other(kind, 2);
  const Assignment defaults(first.problem_count(), 0);
  const auto makespan_ns = first.run(defaults)->makespan_ns;
  CHECK(makespan_ns == same.run(defaults)->makespan_ns);
  CHECK(makespan_ns != other.run(Assignment(other.problem_count(), 0))->makespan_ns);
}

TEST_CASE("a drifting region becomes 3 % slower within 300 runs, and its truth does not change") {
  MadeUpRegion region(kind_named("drift"), 1);
  const Assignment defaults(region.problem_count(), 0);
  const double truth_ns = region.truth_ns(defaults).value();
  const auto mean_of = [&](int runs) {
    double sum = 0;
    for (int run = 0; run < runs; ++run) {
      sum += static_cast<double>(region.run(defaults)->makespan_ns);
    }
    return sum / runs;
  };
  mean_of(300);
  CHECK(mean_of(2000) == Approx(1.03 * truth_ns).epsilon(0.002));
  CHECK(region.truth_ns(defaults).value() == truth_ns);
}

TEST_CASE("a region without its late problem runs without it") {
  MadeUpRegion region(kind_named("late_problem"), 1);
  const std::size_t last = region.problem_count() - 1;
  CHECK(region.joins_after_runs(0) == 0);
  CHECK(region.joins_after_runs(last) == 100);
  CHECK(region.run(Assignment(last, 0))->times_ns.size() == last);
}

}  // namespace contextual::made_up_region_test
