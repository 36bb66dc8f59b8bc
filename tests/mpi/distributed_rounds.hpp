#pragma once

/// \file
/// How the distributed correctness tests run: five rounds of fresh data; in each the region runs with the
/// defaults, is tuned, and runs with what was locked in. Every run's result is checked on every rank.

#include "distributed_matrix.hpp"
#include "support/catch.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/mpi.hpp>

#include <cstdlib>

namespace contextual::test::distributed {

inline int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

inline int world_size() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

/// Each rank's rows: odd and prime, so that no block size divides them. TEST_ROWS sets another
/// number where many ranks share few cores.
inline long rows_per_rank() {
  const char* const text = std::getenv("TEST_ROWS");
  return text == nullptr ? 4091 : std::stol(text);
}

/// What a test is about. All functions are called on every rank.
struct Subject {
  const char* region;
  std::function<void(std::uint64_t round)> new_data;  ///< inputs of a round
  std::function<void(std::uint64_t round)> spoil;     ///< before each run: outputs, workspaces and flags
  std::function<void()> run;                          ///< the region
  std::function<double()> sampled_error;              ///< after each run: of some rows
  std::function<double()> full_error;                 ///< of every element
};

/// One rank's choices as text. Sorted, since threads that launch at the same time have no order.
inline std::string choices_of(const RegionReport& region) {
  std::set<std::string> lines;
  for (const ProblemReport& problem : region.problems) {
    CHECK(problem.outcome == ProblemOutcome::locked_in);
    lines.insert(problem.kernel + " " + problem.key + " " + std::to_string(problem.choice) + " " +
                 problem.choice_config.to_string());
  }
  std::string text;
  for (const std::string& line : lines) {
    text += line + "\n";
  }
  return text;
}

class Rounds {
 public:
  explicit Rounds(Subject subject)
      : subject_(std::move(subject)), ranks_(mpi_communicator(MPI_COMM_WORLD)), tuner_(options()) {}

  void run_all() {
    for (round_ = 0; round_ < 5; ++round_) {
      subject_.new_data(round_);
      run_once(Mode::off);
      tune();
      full_check_ = round_ == 4;
      run_once(Mode::use);
    }
  }

 private:
  /// Few iterations: it is the results that are tested. The deadline bounds every wait of the tuner.
  Options options() {
    Options options{.n_warmup = 1, .n_repeat = 1, .communicator = mpi_world()};
    options.search_settings.runs = 60;
    options.search_settings.closing_rounds = 1;
    options.log_directory = "";
    options.deadline = std::chrono::seconds(60);
    options.before_iteration = [this](const IterationInfo&) { subject_.spoil(round_); };
    options.after_iteration = [this](const IterationInfo& info) { check(info); };
    return options;
  }

  /// Throws instead of counting a failure: the tuner tells the other ranks, which would wait for this one.
  void check(const IterationInfo& info) {
    const double error = full_check_ ? subject_.full_error() : subject_.sampled_error();
    if (!(error <= tolerance)) {
      throw std::runtime_error("round " + std::to_string(round_) + ", " + std::string(to_string(info.phase)) +
                               " iteration " + std::to_string(info.tuning_iteration) + ": wrong by " +
                               std::to_string(error));
    }
    ++checked_;
  }

  void run_once(Mode mode) {
    Options how{.mode = mode};
    checked_ = 0;
    tuner_.run(subject_.region, subject_.run, how);
    CHECK(checked_ == 1);
  }

  /// The search takes long: in the first round only.
  void tune() {
    Options how{.search = round_ == 0 ? SearchLevel::normal : SearchLevel::off, .always_tune = true};
    checked_ = 0;
    int runs = 0;
    tuner_.run(
        subject_.region,
        [&] {
          subject_.run();
          ++runs;
        },
        how);
    CHECK(runs > 10);
    CHECK(checked_ == runs);
    const Report report = tuner_.report();
    const std::string choices = choices_of(*report.find(subject_.region));
    CHECK_FALSE(choices.empty());
    const auto all = ranks_->all_gather(choices, Deadline::after(std::chrono::seconds(60)));
    for (const std::string& others : all) {
      CHECK(others == choices);  // byte for byte
    }
  }

  Subject subject_;
  std::shared_ptr<Communicator> ranks_;  ///< the test's own, apart from the tuner's
  std::uint64_t round_ = 0;
  bool full_check_ = false;
  int checked_ = 0;
  ContextualAutotuner tuner_;
};

/// Of a region that is an object with the functions of `Subject`.
template <typename Region>
void check_rounds(const char* name) {
  Region region;
  Rounds({.region = name,
          .new_data = [&](std::uint64_t round) { region.new_data(round); },
          .spoil = [&](std::uint64_t round) { region.spoil(round); },
          .run = [&] { region.run(); },
          .sampled_error = [&] { return region.sampled_error(); },
          .full_error = [&] { return region.full_error(); }})
      .run_all();
}

}  // namespace contextual::test::distributed
