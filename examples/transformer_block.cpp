/// \file
/// Tunes the dense parts of an LLaMA-3.1-8B decoder block on a GPU: two micro-batches on two streams, so that
/// every kernel is tuned beside its real neighbours. Checks sampled rows of every tuning iteration against a
/// reference, or lets the tuner compare the outputs, and prints what was found. What is left out of the block
/// is said in common/decoder_block.hpp.

#include "common/decoder_block.hpp"
#include "common/printing.hpp"
#include "common/report_options.hpp"
#include "common/search_level.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/cuda.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>

namespace {

constexpr const char* region_name = "decoder_block";

/// What is checked while tuning.
enum class Checked {
  every_run,  ///< sampled rows, against a reference in double
  outputs,    ///< everything that leaves the block, by the tuner, against the defaults' first run
  nothing,
};

struct CommandLine {
  examples::DecoderShape shape;
  int warmup = 3;
  int repeat = 5;
  contextual::SearchLevel search = contextual::SearchLevel::normal;
  Checked checked = Checked::every_run;
  examples::PrintedDetail detail;
  int rounds = 21;
  std::string log_directory = ".autotune_logs";
};

struct Checks {
  int passed = 0;
  double worst_error = 0;
};

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Throws if the last run of the region computed something wrong: then no time of it is worth anything.
void check(examples::DecoderBlock& block, const std::string& where, Checks& checks) {
  const double error = block.error();
  if (!(error <= examples::DecoderBlock::tolerance)) {
    throw std::runtime_error("wrong result in " + where + ": relative error " + std::to_string(error));
  }
  checks.worst_error = std::max(checks.worst_error, error);
  ++checks.passed;
}

/// Options of the tuning run. Where every run is checked, outputs are spoiled before it and looked at after
/// it, both outside of what is measured.
contextual::Options tuning_options(const CommandLine& command_line, examples::DecoderBlock& block,
                                   Checks& checks) {
  contextual::Options options;
  options.timer = contextual::cuda_timer;
  options.n_warmup = command_line.warmup;
  options.n_repeat = command_line.repeat;
  options.search = command_line.search;
  options.log_directory = command_line.log_directory;
  if (command_line.checked == Checked::outputs) {
    options.outputs = block.outputs();
  }
  if (command_line.checked != Checked::every_run) {
    return options;
  }
  options.before_iteration = [&block](const contextual::IterationInfo&) { block.poison(); };
  options.after_iteration = [&block, &checks](const contextual::IterationInfo& info) {
    check(block, std::string(to_string(info.phase)) + " iteration " + std::to_string(info.tuning_iteration),
          checks);
  };
  return options;
}

/// Runs the region once in `mode`; its time from the first launch to the end of both streams.
double timed_run(contextual::ContextualAutotuner& tuner, examples::DecoderBlock& block,
                 contextual::Mode mode) {
  double ms = 0;
  contextual::Options options;
  options.mode = mode;
  tuner.run(
      region_name,
      [&] {
        const auto begin = std::chrono::steady_clock::now();
        block.run();
        block.wait();
        ms = 1e3 * seconds_since(begin);
      },
      options);
  return ms;
}

void tune(const CommandLine& command_line) {
  const auto begin = std::chrono::steady_clock::now();
  examples::DecoderBlock block(command_line.shape);
  Checks checks;
  contextual::ContextualAutotuner tuner{tuning_options(command_line, block, checks)};
  const auto tuning_begin = std::chrono::steady_clock::now();
  tuner.run(region_name, [&] { block.run(); });
  const double tuning_seconds = seconds_since(tuning_begin);
  const contextual::Report report = tuner.report();
  const contextual::RegionReport& region = *report.find(region_name);
  if (region.problems.empty()) {
    std::printf("Nothing was tuned: CONTEXTUAL_MODE is off or use.\n");
    return;
  }
  examples::print_report(region, command_line.detail);
  examples::compare_in_turn("The region's time", command_line.rounds, command_line.detail,
                            [&](contextual::Mode mode) { return timed_run(tuner, block, mode); });
  if (command_line.checked != Checked::every_run) {
    check(block, "the last run", checks);
  }
  std::printf("All %d results were right: largest relative error %.1e, allowed %.0e.\n", checks.passed,
              checks.worst_error, examples::DecoderBlock::tolerance);
  std::printf("Logs: %s. Tuning took %.1f s with its compilations and checks, everything %.1f s.\n",
              region.log_directory.empty() ? "none" : region.log_directory.c_str(), tuning_seconds,
              seconds_since(begin));
}

void add_options(CLI::App& app, CommandLine& command_line) {
  app.add_option("--tokens", command_line.shape.tokens, "tokens of a micro-batch")
      ->check(CLI::Range(1, 1 << 16))
      ->capture_default_str();
  app.add_option("--warmup", command_line.warmup, "uses of a config before its samples count")
      ->capture_default_str();
  app.add_option("--repeat", command_line.repeat, "samples of a config")->capture_default_str();
  examples::add_search_option(app, command_line.search);
  app.add_option("--check", command_line.checked,
                 "while tuning: every-run, against a reference; outputs, by the tuner; or nothing")
      ->transform(CLI::CheckedTransformer(std::map<std::string, Checked>{
          {"every-run", Checked::every_run}, {"outputs", Checked::outputs}, {"nothing", Checked::nothing}}));
  examples::add_report_options(app, command_line.detail);
  app.add_option("--rounds", command_line.rounds, "runs with defaults and tuned after the tuning")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  app.add_option("--log-directory", command_line.log_directory, "where the logs go; empty: none")
      ->capture_default_str();
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine command_line;
  CLI::App app{"Tunes the dense parts of an LLaMA-3.1-8B decoder block on a GPU"};
  add_options(app, command_line);
  CLI11_PARSE(app, argc, argv);
  if (const std::string problem = contextual::cuda_problem(); !problem.empty()) {
    std::printf("Skipped: there is no GPU to tune on (%s)\n", problem.c_str());
    return 0;
  }
  try {
    tune(command_line);
  } catch (const std::exception& error) {
    std::cerr << "transformer_block: " << error.what() << "\n";
    return 1;
  }
  return 0;
}
