/// \file
/// Tunes a layer whose input is spread over several ranks: an all-gather over MPI in chunks, a GEMM that
/// computes with the rows that have come while the others are under way, RMSNorm, gated activation, and a
/// GEMM that accumulates in place. Checks the result of every tuning iteration on every rank.
///
///     mpirun --bind-to none -n 2 allgather_gemm_host
///
/// Each rank has several threads; Open MPI would bind two ranks to one core each.
///
/// Neither the all-gather nor its GEMM could be tuned alone: see common/gathered_layer.hpp.
///
/// A GEMM's own time contains its wait for the slowest rank, and the time that counts is the maximum over
/// ranks. So with a late rank all configs look alike that hide behind the wait: they are alike, in this
/// region, until the rank is on time. `--straggler` makes a rank late; with `--against-none` the choices are
/// compared with those of a tuning without it.

#include "common/gathered_layer.hpp"
#include "common/printing.hpp"
#include "common/report_options.hpp"
#include "common/search_level.hpp"
#include "common/several_ranks.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/mpi.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr const char* region_name = "gathered_layer";
// For --against-none:
constexpr const char* on_time_name = "gathered_layer_on_time";
constexpr const char* control_name = "gathered_layer_on_time_again";

struct CommandLine {
  examples::GatheredLayerShape shape;
  int warmup = 3;
  int repeat = 5;
  contextual::SearchLevel search = contextual::SearchLevel::normal;
  examples::PrintedDetail detail;
  int rounds = 21;
  int budget_ms = 20'000;
  std::string straggler;
  std::chrono::microseconds delay{0};  ///< of this rank, from `straggler`
  bool against_none = false;
  std::string log_directory = ".autotune_logs";
  std::string choices_file;
};

struct Checks {
  int passed = 0;
  double worst_error = 0;
};

/// Everything of one rank's run.
struct Program {
  CommandLine command_line;
  examples::Ranks ranks;
  examples::GatheredLayer layer;
  Checks checks;
  contextual::ContextualAutotuner tuner;

  explicit Program(const CommandLine& line)
      : command_line(line),
        ranks(std::chrono::milliseconds(line.budget_ms)),
        layer(MPI_COMM_WORLD, line.shape, std::chrono::milliseconds(line.budget_ms)),
        tuner(tuning_options()) {}

  contextual::Options tuning_options();
  void check(const contextual::IterationInfo& info);
};

/// Throws if the last run of the region computed something wrong: then no time of it is worth anything.
void Program::check(const contextual::IterationInfo& info) {
  const double error = layer.error();
  if (!(error <= examples::GatheredLayer::tolerance)) {
    throw std::runtime_error("wrong result in " + std::string(to_string(info.phase)) + " iteration " +
                             std::to_string(info.tuning_iteration) + ": relative error " +
                             std::to_string(error));
  }
  checks.worst_error = std::max(checks.worst_error, error);
  ++checks.passed;
}

/// The state is put back before, and the result is checked after every run of the region, both outside of
/// what is measured. The ranks then begin together: or one's longer check would be measured as the others'
/// wait.
contextual::Options Program::tuning_options() {
  contextual::Options options;
  options.communicator = contextual::mpi_world();
  options.n_warmup = command_line.warmup;
  options.n_repeat = command_line.repeat;
  options.search = command_line.search;
  options.log_directory = command_line.log_directory;
  options.deadline = std::chrono::milliseconds(command_line.budget_ms);
  options.before_iteration = [this](const contextual::IterationInfo&) {
    layer.reset();
    ranks.barrier();
  };
  options.after_iteration = [this](const contextual::IterationInfo& info) { check(info); };
  return options;
}

/// Runs the region once in `mode`; the slowest rank's wall time.
double timed_run(Program& program, const char* region, contextual::Mode mode,
                 std::chrono::microseconds delay) {
  double ms = 0;
  contextual::Options options;
  options.mode = mode;
  program.tuner.run(
      region,
      [&] {
        const auto begin = std::chrono::steady_clock::now();
        program.layer.run(delay);
        ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
      },
      options);
  return program.ranks.slowest(ms);
}

/// One way of running the region.
struct Way {
  const char* name;
  const char* region;
  contextual::Mode mode;
  examples::Times times;
};

/// All ways in turn, so that all see the same machine.
void compare(Program& program, std::vector<Way> ways, std::chrono::microseconds delay, const char* title) {
  for (int round = 0; round <= program.command_line.rounds; ++round) {
    for (std::size_t i = 0; i < ways.size(); ++i) {
      Way& way = ways[(i + static_cast<std::size_t>(round)) % ways.size()];
      const double ms = timed_run(program, way.region, way.mode, delay);
      if (round > 0) {  // the first warms up
        way.times.ms.push_back(ms);
      }
    }
  }
  if (program.ranks.rank() != 0) {
    return;
  }
  examples::print_wrapped("The region's time on the slowest rank, " +
                          std::to_string(program.command_line.rounds) + " runs each, in turn, " + title +
                          ":");
  for (const Way& way : ways) {
    if (program.command_line.detail.why || ways.size() > 2) {
      way.times.print(way.name);
    }
  }
  for (std::size_t i = 1; i < ways.size(); ++i) {
    examples::Times ratios;
    std::transform(ways[0].times.ms.begin(), ways[0].times.ms.end(), ways[i].times.ms.begin(),
                   std::back_inserter(ratios.ms), std::divides<>());
    std::printf("  %s: %.3f ms, %.3f times as fast as %s: %.3f ms, in pairs (middle half %.3f to %.3f)\n",
                ways[i].name, ways[i].times.quantile(0.5), ratios.quantile(0.5), ways[0].name,
                ways[0].times.quantile(0.5), ratios.quantile(0.25), ratios.quantile(0.75));
  }
}

/// Tunes the region under `name`; false where the environment forbids it.
bool tune(Program& program, const char* name, std::chrono::microseconds delay) {
  const float first = program.tuner.run(name, [&] { return program.layer.run(delay); });
  const contextual::Report report = program.tuner.report();
  const contextual::RegionReport& region = *report.find(name);
  if (program.ranks.rank() == 0) {
    if (region.problems.empty()) {
      std::printf("Nothing was tuned: CONTEXTUAL_MODE is off or use. The region returned %g.\n",
                  static_cast<double>(first));
    } else {
      examples::print_report(region, program.command_line.detail);
    }
  }
  return !region.problems.empty();
}

void print_about_waiting(const CommandLine& command_line) {
  examples::print_wrapped(
      "\nOwn times of mpi_all_gather and host_flagged_gemm contain their wait for other ranks, and the "
      "slowest "
      "rank's time counts. Where a rank is late, configs that hide behind the wait tie, and the default or "
      "the "
      "lower index wins.");
  if (!command_line.straggler.empty()) {
    std::printf("Rank and ms by which it was late in every run: %s\n", command_line.straggler.c_str());
  }
}

/// What do the choices that were made with a late rank cost when it is on time, and the other way round? Two
/// tunings with all ranks on time do not choose quite alike either: they show how much is noise.
void compare_with_none(Program& program) {
  for (const char* name : {on_time_name, control_name}) {
    if (program.ranks.rank() == 0) {
      std::printf("\nTuned with all ranks on time, as region %s:\n\n", name);
    }
    tune(program, name, std::chrono::microseconds(0));
  }
  const std::vector<Way> ways{{"on time", on_time_name, contextual::Mode::use, {}},
                              {"again", control_name, contextual::Mode::use, {}},
                              {"late", region_name, contextual::Mode::use, {}}};
  compare(program, ways, std::chrono::microseconds(0),
          "now all are on time, tuned when all were, again when all were, and when one was late");
  compare(program, ways, program.command_line.delay, "and now one is late, tuned as before");
}

void run(Program& program) {
  const auto begin = std::chrono::steady_clock::now();
  if (!tune(program, region_name, program.command_line.delay)) {
    return;
  }
  const contextual::Report report = program.tuner.report();
  const contextual::RegionReport& region = *report.find(region_name);
  const std::string differing =
      examples::compare_choices(region, program.ranks, program.command_line.choices_file);
  if (program.ranks.rank() == 0) {
    std::printf("%s\n", differing.c_str());
    if (program.command_line.detail.why || !program.command_line.straggler.empty()) {
      print_about_waiting(program.command_line);
    }
  }
  compare(program,
          {{"defaults", region_name, contextual::Mode::off, {}},
           {"tuned", region_name, contextual::Mode::use, {}}},
          program.command_line.delay, "with defaults and tuned");
  if (program.command_line.against_none) {
    compare_with_none(program);
  }
  const double worst = program.ranks.slowest(program.checks.worst_error);
  if (program.ranks.rank() == 0) {
    std::printf("All %d results were right on each of %d ranks: largest relative error %.1e, allowed %.0e.\n",
                program.checks.passed, program.ranks.size(), worst, examples::GatheredLayer::tolerance);
    std::printf("Logs: %s. Everything took %.1f s.\n",
                region.log_directory.empty() ? "none" : region.log_directory.c_str(),
                std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
}

void add_options(CLI::App& app, CommandLine& command_line) {
  const auto size = CLI::Range(1, 1 << 20);
  app.add_option("--rows", command_line.shape.rows, "rows of the input, each rank's")
      ->check(size)
      ->capture_default_str();
  app.add_option("--width", command_line.shape.width, "columns of the input")
      ->check(size)
      ->capture_default_str();
  app.add_option("--hidden", command_line.shape.hidden, "columns of the activation, each rank's")
      ->check(size)
      ->capture_default_str();
  app.add_option("--warmup", command_line.warmup, "uses of a config before its samples count")
      ->capture_default_str();
  app.add_option("--repeat", command_line.repeat, "samples of a config")->capture_default_str();
  examples::add_search_option(app, command_line.search);
  examples::add_report_options(app, command_line.detail);
  app.add_option("--rounds", command_line.rounds, "runs with defaults and tuned after the tuning")
      ->check(size)
      ->capture_default_str();
  app.add_option("--budget-ms", command_line.budget_ms,
                 "for the waits of each run of the region, and for each of the tuner's")
      ->check(CLI::Range(1, 3'600'000))
      ->capture_default_str();
  app.add_option("--straggler", command_line.straggler, "RANK:MS: this rank begins late in every run");
  app.add_flag("--against-none", command_line.against_none,
               "tune twice without the straggler too, and compare");
  app.add_option("--log-directory", command_line.log_directory, "where the logs go; empty: none")
      ->capture_default_str();
  app.add_option("--choices-file", command_line.choices_file,
                 "FILE: each rank writes its choices to FILE.RANK");
}

}  // namespace

int main(int argc, char** argv) {
  std::unique_ptr<Program> program;  // lives until the process ends: after an error MPI may still write to it
  int rank = 0;
  try {
    const auto world = contextual::mpi_world();
    rank = world->rank();
    CommandLine command_line;
    CLI::App app{"Tunes a layer whose input is gathered from all ranks while a GEMM consumes it"};
    add_options(app, command_line);
    try {
      app.parse(argc, argv);
      command_line.delay = examples::delay_of(command_line.straggler, rank, world->size());
    } catch (const std::invalid_argument& error) {
      return rank == 0 ? app.exit(CLI::ValidationError("--straggler", error.what())) : 1;
    } catch (const CLI::ParseError& error) {
      return rank == 0 ? app.exit(error) : error.get_exit_code();
    }
    program = std::make_unique<Program>(command_line);
    run(*program);
  } catch (const std::exception& error) {
    std::cerr << "allgather_gemm_host, rank " + std::to_string(rank) + ": " + error.what() + "\n";
    examples::abort_all();
  }
  return 0;
}
