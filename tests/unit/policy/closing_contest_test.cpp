#include "contextual/policy/closing_contest.hpp"

#include "support/catch.hpp"

#include <random>

namespace contextual::policy::closing_contest_test {

using Claim = ClosingContest::Claim;
using Verdict = ClosingContest::Verdict;

namespace {

constexpr int rounds = 5;
constexpr std::int64_t most_runs = 100;
const Assignment reference{0, 0};
const Assignment candidate{1, 2};

using Makespan = std::function<double(const Assignment&)>;

/// Runs the rounds of the current candidate until the contest has an answer.
Verdict answer(ClosingContest& contest, const Makespan& makespan_ns) {
  for (Verdict verdict = Verdict::open;;) {
    while (!contest.plan().empty()) {
      SearchObservation observation{contest.plan().front(), {}};
      observation.runs.push_back({1'000'000, {}});
      observation.runs.push_back({std::llround(makespan_ns(observation.trial.assignment)), {}});
      contest.observe(observation);
    }
    verdict = contest.judge();
    if (verdict != Verdict::open) {
      return verdict;
    }
  }
}

/// A candidate that is `gain` shorter, with a noise.
class Noisy {
 public:
  Noisy(unsigned seed, double gain, double noise) : random_(seed), gain_(gain), noise_(0, noise) {}
  double operator()(const Assignment& assignment) {
    return 100'000 * (assignment == reference ? 1 : 1 - gain_) * (1 + noise_(random_));
  }

 private:
  std::mt19937 random_;
  double gain_;
  std::normal_distribution<double> noise_;
};

int shown_of_400(double gain, double noise) {
  int shown = 0;
  for (unsigned seed = 1; seed <= 400; ++seed) {
    ClosingContest contest(rounds, most_runs);
    Noisy makespan(seed, gain, noise);
    contest.begin(reference, candidate, Claim::faster);
    shown += answer(contest, std::ref(makespan)) == Verdict::shown ? 1 : 0;
  }
  return shown;
}

}  // namespace

TEST_CASE("holds 23: of equal sets fewer than 5 % are shown to be shorter, whatever the noise") {
  for (const double noise : {0.001, 0.02, 0.2}) {
    CAPTURE(noise);
    CHECK(shown_of_400(0, noise) < 20);
  }
}

TEST_CASE("holds 23: a gain that the first rounds cannot show is shown by more rounds") {
  CHECK(shown_of_400(0.02, 0.01) > 360);
  CHECK(shown_of_400(0.3, 0.1) > 360);
  CHECK(shown_of_400(0.001, 0.1) < 30);
}

TEST_CASE("ClosingContest: all candidates together are wrong in fewer than 5 %") {
  int wrong = 0;
  for (unsigned seed = 1; seed <= 400; ++seed) {
    ClosingContest contest(rounds, most_runs);
    Noisy equal(seed, 0, 0.02);
    bool shown = false;
    for (std::size_t next = 1; next == 1 || contest.affords(1); ++next) {
      contest.begin(reference, {next, next}, Claim::faster);
      shown = answer(contest, std::ref(equal)) == Verdict::shown || shown;
    }
    wrong += shown ? 1 : 0;
  }
  CHECK(wrong < 20);
}

TEST_CASE("ClosingContest: rounds are added up to its runs, and those of a further candidate are kept") {
  ClosingContest contest(rounds, most_runs);
  std::mt19937 random(3);
  std::normal_distribution<double> noise(0, 0.05);
  int runs = 0;
  const auto makespan = [&](const Assignment& assignment) {
    runs += 2;
    return 100'000 * (assignment == reference ? 1.02 : 1) * (1 + noise(random));
  };
  contest.begin(reference, candidate, Claim::faster);
  answer(contest, makespan);
  CHECK(runs > 4 * rounds);
  CHECK(runs <= most_runs - 4 * rounds);
  for (int others = 0; contest.affords(1); ++others) {
    REQUIRE(others < 5);
    contest.begin(reference, candidate, Claim::faster);
    answer(contest, makespan);
  }
  CHECK(runs <= most_runs);
}

TEST_CASE("ClosingContest: five rounds of which two alone show a gain are followed by two more") {
  ClosingContest contest(rounds, most_runs);
  std::vector<int> looks;
  std::size_t round = 0;
  const std::vector<double> gains{-0.001, 0.1, -0.001, 0.1, -0.001};
  const auto makespan = [&](const Assignment& assignment) {
    if (looks.empty() || looks.back() != contest.comparison().rounds()) {
      looks.push_back(contest.comparison().rounds());
    }
    return 100'000 * (assignment == reference ? 1 : 1 - gains[round++ % gains.size()]);
  };
  contest.begin(reference, candidate, Claim::faster);
  answer(contest, makespan);
  REQUIRE(looks.size() > 1);
  CHECK(looks[0] == 5);
  CHECK(looks[1] == 7);
}

TEST_CASE("ClosingContest: what is surely longer has lost after the first rounds") {
  ClosingContest contest(rounds, most_runs);
  int runs = 0;
  Noisy longer(1, -0.2, 0.01);
  contest.begin(reference, candidate, Claim::faster);
  CHECK(answer(contest, [&](const Assignment& assignment) {
          runs += 2;
          return longer(assignment);
        }) == Verdict::lost);
  CHECK(runs == 4 * rounds);
}

TEST_CASE("ClosingContest: where other measurements speak for it, only what is surely longer has lost") {
  int kept = 0;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    ClosingContest contest(rounds, most_runs);
    Noisy equal(seed, 0, 0.1);
    contest.begin(reference, candidate, Claim::not_slower);
    kept += answer(contest, std::ref(equal)) == Verdict::shown ? 1 : 0;
  }
  CHECK(kept >= 95);
  ClosingContest contest(rounds, most_runs);
  Noisy longer(1, -0.2, 0.01);
  contest.begin(reference, candidate, Claim::not_slower);
  CHECK(answer(contest, std::ref(longer)) == Verdict::lost);
}

TEST_CASE("ClosingContest: no interval says that a makespan is shortened by more than 100 %") {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    ClosingContest contest(rounds, most_runs);
    contest.begin(reference, candidate, Claim::faster);
    answer(contest, [&](const Assignment&) { return 1000 + 100'000 * (random() % 5 == 0 ? 10 : 0); });
    REQUIRE(contest.result().gain);
    const auto gain = *contest.result().gain;
    CHECK(gain.high < 1);
    CHECK(gain.low <= gain.centre);
    CHECK(gain.centre <= gain.high);
  }
}

TEST_CASE("holds 23: samples of another state of the machine do not hide the rounds") {
  ClosingContest contest(rounds, most_runs);
  const std::vector<double> faster_then(20, 50'000);
  contest.begin(reference, candidate, Claim::faster, {faster_then, faster_then, {}});
  Noisy equal(1, 0, 0.01);
  CHECK(answer(contest, [&](const Assignment& assignment) { return equal(assignment); }) == Verdict::noise);
  CHECK(contest.result().gain.has_value());
}

TEST_CASE("ClosingContest: one round of a busy host among many changes nothing") {
  ClosingContest contest(12, most_runs);
  contest.begin(reference, candidate, Claim::faster);
  int trials = 0;
  CHECK(answer(contest, [&](const Assignment& assignment) {
          ++trials;
          return trials == 9 ? 400'000 : (assignment == reference ? 100'000 : 98'000) + trials % 3;
        }) == Verdict::shown);
  CHECK(contest.result().gain->centre == Approx(0.02).margin(0.001));
}

TEST_CASE("holds 23: whose the reference's far samples are changes nothing in what the choice takes") {
  int unclear = 0;
  for (const int far : {1, 2, 3, 4, 5}) {
    std::vector<double> of_reference(20, 100'000);
    std::fill_n(of_reference.begin(), far, 300'000);
    const std::vector<double> of_choice(20, 80'000);
    for (const double next_longer_by_ns : {-20'000.0, -40'000.0}) {
      ClosingContest contest(rounds, most_runs);
      contest.begin(reference, candidate, Claim::faster, {of_reference, of_choice, {}}, next_longer_by_ns);
      Noisy makespan(1, 0.2, 0.001);
      CHECK(answer(contest, std::ref(makespan)) == Verdict::shown);
      CHECK_FALSE(contest.unsure());
      CHECK(contest.behind_next() == (next_longer_by_ns < -30'000));
      unclear += contest.result().or_else.empty() ? 0 : 1;
    }
  }
  CHECK(unclear > 0);
}

}  // namespace contextual::policy::closing_contest_test
