/// \file
/// The user's code that takes part in decisions throws on one rank: that rank rethrows it, and all others
/// learn of it in the next exchange.

#include "unit/tuning/changed_options.hpp"

namespace contextual::test::rank_decisions_test {

namespace {

constexpr int ranks = 3;
constexpr int culprit = 1;

thread_local int rank_here = -1;

/// Throws in one call of the culprit, once.
class Trap {
 public:
  explicit Trap(int call) : left_(call) {}

  void step() {
    if (rank_here == culprit && left_-- == 0) {
      sprung_ = true;
      throw std::out_of_range("the model is empty");
    }
  }
  bool sprung() const { return sprung_; }

 private:
  std::atomic<int> left_;
  std::atomic<bool> sprung_{false};
};

enum class Call { plan, observe, reject, lost, best, reason, remaining_runs };

/// The built-in search, but some call of it may throw.
class TrappedSearch final : public Search {
 public:
  TrappedSearch(const SearchRequest& request, Call call, Trap& trap)
      : search_(joint_search(request)), call_(call), trap_(&trap) {}

  std::vector<SearchTrial> plan() const override {
    step(Call::plan);
    return search_->plan();
  }
  void observe(const SearchObservation& observation) override {
    step(Call::observe);
    search_->observe(observation);
  }
  void reject(std::size_t problem, std::size_t config_id) override {
    step(Call::reject);
    search_->reject(problem, config_id);
  }
  void lost(const Assignment& assignment) override {
    step(Call::lost);
    search_->lost(assignment);
  }
  std::optional<Assignment> best() const override {
    step(Call::best);
    return search_->best();
  }
  std::string reason() const override {
    step(Call::reason);
    return search_->reason();
  }
  std::size_t remaining_runs() const override {
    step(Call::remaining_runs);
    return search_->remaining_runs();
  }

 private:
  void step(Call call) const {
    if (call == call_) {
      trap_->step();
    }
  }

  std::unique_ptr<Search> search_;
  Call call_;
  Trap* trap_;
};

Options searching(const std::shared_ptr<Communicator>& communicator) {
  return rank_options(
      communicator,
      {.search = SearchLevel::normal, .search_settings = {.runs = 60}, .deadline = std::chrono::seconds(20)});
}

using SetUp = std::function<void(Options&)>;

/// Two runs of a region with two kernels, of which some configs cannot be prepared and one pair fails. The
/// first run fails if the trap springs, the second one works.
void check_told(const std::string& name, const SetUp& set_up, const Trap& trap) {
  thread_local std::array<int, 2> tiles_now{};
  const auto make = [&](const std::string& kernel, std::size_t at) {
    return kernel_per_rank(ranks, [&](int) {
      RankKernel::Options options;
      options.load = [](const TileConfig& config) { throw_if<ConfigRejected>(config.tile == 3, "no room"); };
      return rank_kernel(name + kernel, 4, options,
                         [at](const TileConfig& c, int&) { tiles_now.at(at) = c.tile; });
    });
  };
  const RankKernels first = make("-first", 0);
  const RankKernels second = make("-second", 1);
  PerRank<std::exception_ptr> first_run(ranks);
  PerRank<RegionReport> reports(ranks);
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner&, const auto& all) {
    rank_here = rank;
    Options options = searching(all);
    options.verify = [](const IterationInfo&) { return tiles_now != std::array{4, 4}; };
    set_up(options);
    ContextualAutotuner tuner(options);
    const auto region = [&] { first(rank, 1), second(rank, 1); };
    try {
      tuner.run("region", region);
    } catch (...) {
      first_run[rank] = std::current_exception();
    }
    tuner.run("region", region);
    reports[rank] = tuner.report().runs.back();
  });
  INFO(name);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    INFO("rank " << rank << ": " << text_of(first_run[rank]) << "; then: " << text_of(thrown[rank]));
    CHECK_FALSE(thrown[rank]);
    CHECK(agreed_text(reports[rank]) == agreed_text(reports[0]));
    if (!trap.sprung()) {
      CHECK_FALSE(first_run[rank]);
    } else if (rank == culprit) {
      CHECK(threw<std::out_of_range>(first_run[rank]));
    } else {
      CHECK(threw<RegionFailedError>(first_run[rank]));
      CHECK_THAT(text_of(first_run[rank]), ContainsAll("rank 1", "the model is empty"));
    }
  }
}

}  // namespace

TEST_CASE("holds 6: a search that throws on one rank is told to the others, and the next run works") {
  Trap in_factory(0);
  check_told(
      "factory",
      [&](Options& options) {
        options.search_settings.factory = [&](const SearchRequest& request) {
          in_factory.step();
          return joint_search(request);
        };
      },
      in_factory);
  CHECK(in_factory.sprung());
  for (const Call call : {Call::plan, Call::observe, Call::reject, Call::lost, Call::best, Call::reason,
                          Call::remaining_runs}) {
    for (const int at : {0, 1, 5}) {
      Trap trap(at);
      check_told(
          "search" + std::to_string(static_cast<int>(call)) + "-" + std::to_string(at),
          [&](Options& options) {
            options.search_settings.factory = [&](const SearchRequest& request) {
              return std::make_unique<TrappedSearch>(request, call, trap);
            };
          },
          trap);
      CHECK((at > 0 || call == Call::reject || call == Call::lost || trap.sprung()));
    }
  }
}

TEST_CASE("holds 6: whichever call of `feasible` throws on one rank, the others are told") {
  for (int at = 0;; at = at < 12 ? at + 1 : 2 * at) {
    Trap trap(at);
    check_told(
        "feasible" + std::to_string(at),
        [&](Options& options) {
          options.feasible = [&](std::span<const AssignedConfig>) {
            trap.step();
            return true;
          };
        },
        trap);
    if (!trap.sprung()) {
      CHECK(at > 12);
      break;
    }
  }
}

TEST_CASE("holds 6: `feasible` and `after_failure` of an object that throw on one rank are told") {
  for (const bool after_failure : {false, true}) {
    Trap trap(0);
    const std::string name = after_failure ? "after-failure" : "registered";
    KernelChecks checks;
    if (after_failure) {
      checks.after_failure = [&] { trap.step(); };
    } else {
      checks.feasible = [&](std::span<const AssignedConfig>) {
        trap.step();
        return true;
      };
    }
    const RegisteredChecks registered({name + "-first"}, checks);
    check_told(
        name, [](Options&) {}, trap);
    CHECK(trap.sprung());
  }
}

TEST_CASE("holds 5: where tuning fails on all ranks, what one rank throws beside that is told") {
  Trap trap(0);
  const auto kernel = rank_kernel("fails-twice", 1, {}, [](const TileConfig&, int&) {});
  const RegisteredChecks checks({"fails-twice"}, {.verify = [](const IterationInfo&) { return false; },
                                                  .after_failure = [&] { trap.step(); }});
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner&, const auto& all) {
    rank_here = rank;
    ContextualAutotuner tuner(searching(all));
    tuner.run("region", [&] { (*kernel)(1); });
  });
  CHECK(trap.sprung());
  CHECK(threw<std::out_of_range>(thrown[culprit]));
  for (const std::size_t rank : {0, 2}) {
    INFO(text_of(thrown[rank]));
    CHECK(threw<RegionFailedError>(thrown[rank]));
  }
}

TEST_CASE("holds 6: what one rank throws after the last exchange is its own") {
  Trap trap(0);
  const auto kernel = rank_kernel("reused", 2);
  bool refuse = false;
  const RegisteredChecks checks({"reused"}, {.verify = [&](const IterationInfo&) { return !refuse; },
                                             .after_failure = [&] { trap.step(); }});
  PerRank<std::exception_ptr> second_run(ranks);
  check_well(on_ranks(ranks, [&](int rank, ContextualAutotuner&, const auto& all) {
    rank_here = rank;
    ContextualAutotuner tuner(searching(all));
    const auto region = [&] { (*kernel)(1); };
    tuner.run("region", region);
    all->all_gather("", Deadline::after(std::chrono::seconds(20)));
    if (rank == 0) {
      refuse = true;
    }
    all->all_gather("", Deadline::after(std::chrono::seconds(20)));
    ContextualAutotuner another(searching(all));
    try {
      another.run("region", region);
    } catch (...) {
      second_run[rank] = std::current_exception();
    }
  }));
  CHECK(threw<std::out_of_range>(second_run[culprit]) == trap.sprung());
  CHECK_FALSE(second_run[0]);
  CHECK_FALSE(second_run[2]);
}

}  // namespace contextual::test::rank_decisions_test
