/// \file
/// The option `iterations` in a whole tuning run: what the timer is told, what a makespan is, what the log
/// says.

#include "unit/tuning/changed_options.hpp"

namespace contextual::test::pipelined_test {

namespace {

/// Iterations of 100 us of which each begins 40 us after the one before.
TimerFactory overlapping_iterations() {
  return testing::scripted_timer_with(
      {.launch_ns = [](const LaunchInfo&) { return std::int64_t{30'000}; },
       .makespan_ns = [](std::int64_t, const auto&) { return std::int64_t{100'000}; },
       .iteration_begin_ns = [](std::int64_t iteration) { return 40'000 * iteration; }});
}

Options with(Iterations iterations, TimerFactory timer) {
  return quick(std::move(timer),
               {.n_warmup = 2, .n_repeat = 3, .iterations = iterations, .always_tune = true});
}

}  // namespace

TEST_CASE("iterations: joined takes each makespan, pipelined the share in its batch") {
  const auto makespan_of = [&](Iterations iterations) {
    return tune_alone("pipelined", 2, with(iterations, overlapping_iterations()))
        .configs.at(1)
        .makespan.centre_ns;
  };
  CHECK(makespan_of(Iterations::joined) == 100'000);
  CHECK(makespan_of(Iterations::pipelined) == (4 * 40'000 + 100'000) / 5);
}

TEST_CASE("iterations: a pipelined run with the search ends") {
  OneKernel one("pipelined_search", 3, {}, with(Iterations::pipelined, overlapping_iterations()));
  const int choice = static_cast<int>(one.run({.search = SearchLevel::normal}));
  INFO(one.tuner.report().runs.back().to_string(Detail::why));
  CHECK(choice == 0);  // all are equal
  CHECK(one.runs < 500);
}

TEST_CASE("iterations: the timer is told once, before the first iteration") {
  class Told final : public testing::ForwardingTimer {
   public:
    explicit Told(std::vector<std::string>& events) : ForwardingTimer(last_is_fastest()()), events_(events) {}
    void set_iterations(Iterations iterations) override {
      events_.emplace_back(iterations == Iterations::joined ? "joined" : "pipelined");
    }
    void begin_iteration(std::int64_t iteration, IterationNote& note) override {
      events_.emplace_back("begin");
      ForwardingTimer::begin_iteration(iteration, note);
    }

   private:
    std::vector<std::string>& events_;
  };
  for (const auto& [option, expected] : std::vector<std::pair<std::optional<Iterations>, std::string>>{
           {std::nullopt, "joined"}, {Iterations::pipelined, "pipelined"}}) {
    std::vector<std::string> events;
    const Options options = quick([&events] { return std::make_unique<Told>(events); },
                                  {.iterations = option, .always_tune = true});
    tune_alone("told", 2, options);
    REQUIRE(events.size() > 2);
    CHECK(events[0] == expected);
    CHECK(std::count(events.begin(), events.end(), "begin") == static_cast<int>(events.size()) - 1);
  }
}

}  // namespace contextual::test::pipelined_test
