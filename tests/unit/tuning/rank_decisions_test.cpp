/// \file
/// The user's code that takes part in decisions throws on one rank: that rank rethrows it, and all others
/// learn of it in the next exchange.

#include "support/catch.hpp"
#include "support/ranks.hpp"

#include <contextual/registered_checks.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>

namespace rank_decisions_test {

using namespace contextual;
using namespace contextual::test;

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
  Options options = rank_options(communicator);
  options.search = SearchLevel::normal;
  options.search_settings.runs = 60;
  options.deadline = std::chrono::seconds(20);
  return options;
}

using SetUp = std::function<void(Options&)>;

/// Two runs of a region with two kernels, of which some configs cannot be prepared and one pair fails. The
/// first run fails if the trap springs, the second one works.
void check_told(const std::string& name, const SetUp& set_up, const Trap& trap) {
  thread_local std::array<int, 2> tiles_now{};
  const auto make = [&](const std::string& kernel, std::size_t at) {
    return kernel_per_rank(ranks, [&](int) {
      RankKernel::Options options;
      options.load = [](const TileConfig& config) {
        if (config.tile == 3) {
          throw ConfigRejected("no room");
        }
      };
      return rank_kernel(name + kernel, 4, options,
                         [at](const TileConfig& c, int&) { tiles_now.at(at) = c.tile; });
    });
  };
  const RankKernels first = make("-first", 0);
  const RankKernels second = make("-second", 1);
  std::vector<std::exception_ptr> first_run(ranks);
  std::vector<RegionReport> reports(ranks);
  const auto thrown =
      on_ranks(ranks, [&](int rank, ContextualAutotuner&, const std::shared_ptr<Communicator>& all) {
        rank_here = rank;
        const auto at = static_cast<std::size_t>(rank);
        Options options = searching(all);
        options.verify = [](const IterationInfo&) { return tiles_now != std::array{4, 4}; };
        set_up(options);
        ContextualAutotuner tuner(options);
        const auto region = [&] {
          (*first[at])(1);
          (*second[at])(1);
        };
        try {
          tuner.run("region", region);
        } catch (...) {
          first_run[at] = std::current_exception();
        }
        tuner.run("region", region);
        reports[at] = tuner.report().runs.back();
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
      CHECK_THAT(text_of(first_run[rank]),
                 ContainsSubstring("rank 1") && ContainsSubstring("the model is empty"));
    }
  }
}

}  // namespace

TEST_CASE("holds 6: a search that throws on one rank is told to the others, and the next run works",
          "[unit]") {
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

TEST_CASE("holds 6: whichever call of `feasible` throws on one rank, the others are told", "[unit]") {
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

TEST_CASE("holds 6: `feasible` and `after_failure` of an object that throw on one rank are told", "[unit]") {
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

TEST_CASE("holds 5: where tuning fails on all ranks, what one rank throws beside that is told", "[unit]") {
  Trap trap(0);
  const auto kernel = rank_kernel("fails-twice", 1, {}, [](const TileConfig&, int&) {});
  const RegisteredChecks checks({"fails-twice"}, {.verify = [](const IterationInfo&) { return false; },
                                                  .after_failure = [&] { trap.step(); }});
  const auto thrown =
      on_ranks(ranks, [&](int rank, ContextualAutotuner&, const std::shared_ptr<Communicator>& all) {
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

TEST_CASE("holds 6: what one rank throws after the last exchange is its own", "[unit]") {
  Trap trap(0);
  const auto kernel = rank_kernel("reused", 2);
  bool refuse = false;
  const RegisteredChecks checks({"reused"}, {.verify = [&](const IterationInfo&) { return !refuse; },
                                             .after_failure = [&] { trap.step(); }});
  std::vector<std::exception_ptr> second_run(ranks);
  const auto thrown =
      on_ranks(ranks, [&](int rank, ContextualAutotuner&, const std::shared_ptr<Communicator>& all) {
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
          second_run[static_cast<std::size_t>(rank)] = std::current_exception();
        }
      });
  CHECK(count_failed(thrown) == 0);
  CHECK(threw<std::out_of_range>(second_run[culprit]) == trap.sprung());
  CHECK_FALSE(second_run[0]);
  CHECK_FALSE(second_run[2]);
}

}  // namespace rank_decisions_test
