#include "contextual/cuda/timing/clock_judge.hpp"

#include "contextual/cuda/api/nvml.hpp"
#include "support/catch.hpp"

namespace contextual::cuda::clock_judge_test {

namespace {

constexpr std::uint64_t none = 0;

ClockReading reading(int mhz, std::uint64_t reasons = none, int device = 0) {
  return {.device = device, .sm_clock_mhz = mhz, .reasons = reasons};
}

/// A judge with room for every test's batches, and what it said last.
struct Judging {
  ClockJudge judge;
  std::vector<std::string> warnings;

  std::string disturbance(const std::vector<ClockReading>& readings) {
    const ClockJudge::Verdict verdict = judge.judge(readings);
    warnings = verdict.warnings;
    return verdict.disturbance;
  }
};

}  // namespace

TEST_CASE("clock judge: a steady device and small steps of its clock disturb nothing") {
  Judging judging;
  CHECK(judging.disturbance({reading(1980)}).empty());
  CHECK(judging.disturbance({reading(1800)}).empty());
  CHECK(judging.disturbance({reading(1980)}).empty());
  CHECK(judging.warnings.empty());
}

TEST_CASE("clock judge: each severe reason that begins or ends disturbs, and names itself") {
  const auto [reason, name] =
      GENERATE(table<std::uint64_t, std::string>({{clock_reason::hardware_slowdown, "hardware slowdown"},
                                                  {clock_reason::software_thermal, "thermal"},
                                                  {clock_reason::hardware_thermal, "thermal (hardware)"},
                                                  {clock_reason::power_brake, "power brake"}}));
  Judging begins;
  begins.disturbance({reading(1980)});
  CHECK_THAT(begins.disturbance({reading(1980, reason)}),
             ContainsSubstring("device 0 is slowed down by " + name + ","));
  CHECK(begins.disturbance({reading(1980)}).empty());
  Judging ends;
  CHECK(ends.disturbance({reading(1500, reason)}).empty());
  CHECK(ends.disturbance({reading(1500, reason)}).empty());
  CHECK_THAT(ends.disturbance({reading(1980)}),
             ContainsSubstring("device 0 is no longer slowed down by " + name));
}

TEST_CASE("clock judge: heat that came and went between two readings is seen by its cumulated time") {
  Judging judging;
  ClockReading at = reading(1980);
  at.thermal_ns = 500;  // long ago
  CHECK(judging.disturbance({at}).empty());
  CHECK(judging.disturbance({at}).empty());
  at.thermal_ns = 900;
  CHECK_THAT(judging.disturbance({at}), ContainsSubstring("slowed down by thermal"));
  CHECK(judging.disturbance({at}).empty());
}

TEST_CASE("clock judge: a clock more than a tenth below the highest one disturbs") {
  Judging judging;
  judging.disturbance({reading(1800)});
  judging.disturbance({reading(2000)});
  CHECK(judging.disturbance({reading(1800)}).empty());
  CHECK_THAT(judging.disturbance({reading(1799)}),
             ContainsSubstring("device 0's SM clock fell from 2000 to 1799 MHz"));
}

TEST_CASE("clock judge: a power cap is told once and never disturbs, whatever the clock") {
  Judging judging;
  judging.disturbance({reading(1980)});
  CHECK(judging.disturbance({reading(1200, clock_reason::power_cap)}).empty());
  REQUIRE(judging.warnings.size() == 1);
  CHECK_THAT(judging.warnings[0], ContainsSubstring("power cap"));
  CHECK(judging.disturbance({reading(1000, clock_reason::power_cap)}).empty());
  CHECK(judging.warnings.empty());
  ClockReading between = reading(1300);  // the cap was on for a part of the batch
  between.power_capped_ns = 10;
  CHECK_FALSE(judging.disturbance({between}).empty());  // the first time nothing is known of before
  between.power_capped_ns = 20;
  CHECK(judging.disturbance({between}).empty());
}

TEST_CASE("clock judge: the clock of an idle device says nothing") {
  Judging judging;
  judging.disturbance({reading(1980)});
  CHECK(judging.disturbance({reading(345, clock_reason::idle)}).empty());
  CHECK(judging.disturbance({reading(1980)}).empty());
}

TEST_CASE("clock judge: what cannot be read is not held against a batch") {
  Judging judging;
  judging.disturbance({reading(1980)});
  ClockReading unknown;
  CHECK(judging.disturbance({unknown}).empty());
  unknown.sm_clock_mhz = 1000;  // perhaps by its power cap
  CHECK(judging.disturbance({unknown}).empty());
  CHECK(judging.disturbance({}).empty());
}

TEST_CASE("clock judge: devices have their own references, and all that changed are named") {
  Judging judging;
  judging.disturbance({reading(1980), reading(1410, none, 1)});
  const std::string text =
      judging.disturbance({reading(1980, clock_reason::power_brake), reading(900, none, 1)});
  CHECK_THAT(text, ContainsSubstring("device 0 is slowed down by power brake"));
  CHECK_THAT(text, ContainsSubstring("device 1's SM clock fell from 1410 to 900 MHz"));
}

TEST_CASE("clock judge: after two disturbances in a row the new state is the reference, said once") {
  Judging judging;
  const auto hot = {reading(1500, clock_reason::software_thermal)};
  const auto cool = {reading(1980)};
  judging.disturbance(cool);
  CHECK_FALSE(judging.disturbance(hot).empty());
  CHECK_FALSE(judging.disturbance(hot).empty());
  CHECK(judging.disturbance(hot).empty());
  REQUIRE(judging.warnings.size() == 1);
  CHECK_THAT(judging.warnings[0], ContainsSubstring("slowed down by thermal"));
  CHECK_THAT(judging.warnings[0], ContainsSubstring("its times are kept"));
  CHECK(judging.disturbance(hot).empty());
  CHECK(judging.warnings.empty());
  CHECK_FALSE(judging.disturbance(cool).empty());
  CHECK_FALSE(judging.disturbance(cool).empty());
  CHECK(judging.disturbance(cool).empty());
  CHECK(judging.warnings.empty());  // said already
}

TEST_CASE("clock judge: a device that never settles disturbs at most eight batches of a run") {
  Judging judging;
  int dropped = 0;
  for (int batch = 0; batch < 100; ++batch) {
    const std::uint64_t reasons = batch % 2 == 0 ? none : clock_reason::hardware_thermal;
    dropped += judging.disturbance({reading(1980, reasons)}).empty() ? 0 : 1;
  }
  CHECK(dropped == 8);
}

}  // namespace contextual::cuda::clock_judge_test
