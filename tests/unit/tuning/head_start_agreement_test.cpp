/// \file
/// The ranks agree on how long the devices wait before a batch.

#include "unit/tuning/changed_options.hpp"

namespace contextual::test::head_start_agreement_test {

using namespace std::chrono_literals;

namespace {

/// A scripted timer that wants a head start, and notes what it gets.
class WantingTimer final : public testing::ForwardingTimer {
 public:
  WantingTimer(std::chrono::nanoseconds wanted, std::vector<BatchStart>& starts)
      : ForwardingTimer(testing::scripted_timer(later_is_faster)()), wanted_(wanted), starts_(&starts) {}

  void begin_batch(const BatchStart& start) override { starts_->push_back(start); }
  std::chrono::nanoseconds wanted_head_start() const noexcept override { return wanted_; }

 private:
  std::chrono::nanoseconds wanted_;
  std::vector<BatchStart>* starts_;
};

/// By rank, then by batch and by turn of a part.
std::vector<std::vector<BatchStart>> starts_of(const std::vector<std::chrono::nanoseconds>& wanted,
                                               const std::vector<RegionPart>& parts = {}) {
  const int ranks = static_cast<int>(wanted.size());
  const RankKernels kernels = kernel_per_rank(ranks, [](int) { return rank_kernel("head-start", 3); });
  PerRank<std::vector<BatchStart>> starts(wanted.size());
  check_well(on_ranks(ranks, [&](int rank, ContextualAutotuner&, const auto& all) {
    const auto at = static_cast<std::size_t>(rank);
    const Options options = rank_options(
        all, {.always_tune = true,
              .timer = [&, at] { return std::make_unique<WantingTimer>(wanted[at], starts[rank]); },
              .parts = parts});
    tuned(options, "head_start", [&] { kernels(rank, 1); });
  }));
  return starts;
}

}  // namespace

TEST_CASE("head start: every rank gets the longest that one wants, at a meeting of each batch") {
  const auto begun = std::chrono::steady_clock::now();
  for (const auto& of_rank : starts_of({20us, 50us, 0us})) {
    REQUIRE(of_rank.size() >= 3);
    auto last = begun;
    for (const BatchStart& start : of_rank) {
      CHECK(start.head_start == 50us);
      CHECK(start.met > last);
      last = start.met;
    }
  }
}

TEST_CASE("head start: none on any rank if one rank may not have any") {
  for (const auto& of_rank : starts_of({20us, Timer::no_head_start})) {
    REQUIRE(of_rank.size() >= 3);
    for (const BatchStart& start : of_rank) {
      CHECK(start.head_start == 0us);
    }
  }
}

TEST_CASE("head start: the turns of a region's parts have that of its batches, but the first") {
  const auto without = starts_of({20us, 50us});
  const auto with = starts_of({20us, 50us}, {{"nothing", [] {}}});
  for (std::size_t rank = 0; rank < with.size(); ++rank) {
    REQUIRE(with[rank].size() >= without[rank].size() + 9);  // five rounds or more of two turns
    CHECK((with[rank].size() - without[rank].size()) % 2 == 1);
    CHECK(with[rank].back().head_start == 50us);
    CHECK(with[rank].back().met > with[rank][with[rank].size() - 2].met);
  }
}

TEST_CASE("head start: a timer that throws before a batch is told to the other ranks") {
  class ThrowingTimer final : public testing::ForwardingTimer {
   public:
    ThrowingTimer() : ForwardingTimer(testing::scripted_timer(later_is_faster)()) {}
    void begin_batch(const BatchStart& /*start*/) override { throw std::runtime_error("no head start"); }
  };
  const auto kernel = rank_kernel("throws-before-a-batch", 3);
  const RankRuns outcome = run_on_ranks(
      2, [&](int, int) { (*kernel)(1); },
      [&](int rank, Options& options) {
        options.always_tune = true;
        if (rank == 1) {
          options.timer = [] { return std::make_unique<ThrowingTimer>(); };
        }
      });
  CHECK(threw<std::runtime_error>(outcome.thrown[1]));
  REQUIRE(threw<RegionFailedError>(outcome.thrown[0]));
  CHECK_THAT(text_of(outcome.thrown[0]), ContainsSubstring("no head start"));
}

}  // namespace contextual::test::head_start_agreement_test
