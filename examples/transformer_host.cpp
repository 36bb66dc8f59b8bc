/// \file
/// Tunes the feed-forward half of a transformer layer on the CPU: RMSNorm, GEMM, gated activation, and a GEMM
/// that accumulates into the residual stream. Checks the result of every tuning iteration, and prints what
/// was found.

#include "common/feed_forward.hpp"
#include "common/printing.hpp"
#include "common/report_options.hpp"
#include "common/search_level.hpp"

#include <contextual/autotuner.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>

namespace {

constexpr const char* region_name = "feed_forward";

struct CommandLine {
  examples::FeedForwardShape shape;
  int warmup = 3;
  int repeat = 5;
  contextual::SearchLevel search = contextual::SearchLevel::normal;
  examples::PrintedDetail detail;
  int rounds = 21;
  std::string log_directory = ".autotune_logs";
};

struct Checks {
  int passed = 0;
  double worst_error = 0;
};

/// Throws if the last run of the region computed something wrong: then no time of it is worth anything.
void check(const examples::FeedForward& layer, const std::string& where, Checks& checks) {
  const double error = layer.error();
  if (!(error <= examples::FeedForward::tolerance)) {
    throw std::runtime_error("wrong result in " + where + ": relative error " + std::to_string(error));
  }
  checks.worst_error = std::max(checks.worst_error, error);
  ++checks.passed;
}

/// Options of the tuning run. x is put back before, and the result is checked after every run of the region,
/// both outside of what is measured.
contextual::Options tuning_options(const CommandLine& command_line, examples::FeedForward& layer,
                                   Checks& checks) {
  contextual::Options options;
  options.n_warmup = command_line.warmup;
  options.n_repeat = command_line.repeat;
  options.search = command_line.search;
  options.log_directory = command_line.log_directory;
  options.before_iteration = [&layer](const contextual::IterationInfo&) { layer.reset(); };
  options.after_iteration = [&layer, &checks](const contextual::IterationInfo& info) {
    check(layer, std::string(to_string(info.phase)) + " iteration " + std::to_string(info.tuning_iteration),
          checks);
  };
  return options;
}

/// Runs the region once in `mode`; the wall time of the region. The tuner's hooks reset and check.
double timed_run(contextual::ContextualAutotuner& tuner, examples::FeedForward& layer,
                 contextual::Mode mode) {
  double ms = 0;
  contextual::Options options;
  options.mode = mode;
  tuner.run(
      region_name,
      [&] {
        const auto begin = std::chrono::steady_clock::now();
        layer.run();
        ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
      },
      options);
  return ms;
}

void tune(const CommandLine& command_line) {
  const auto begin = std::chrono::steady_clock::now();
  examples::FeedForward layer(command_line.shape);
  Checks checks;
  contextual::ContextualAutotuner tuner{tuning_options(command_line, layer, checks)};
  const float first = tuner.run(region_name, [&] { return layer.run(); });
  const contextual::Report report = tuner.report();
  const contextual::RegionReport& region = *report.find(region_name);
  if (region.problems.empty()) {
    std::printf("Nothing was tuned: CONTEXTUAL_MODE is off or use. The region returned %g.\n",
                static_cast<double>(first));
    return;
  }
  examples::print_report(region, command_line.detail);
  examples::compare_in_turn("The region's time", command_line.rounds, command_line.detail,
                            [&](contextual::Mode mode) { return timed_run(tuner, layer, mode); });
  std::printf("All %d results were right: largest relative error %.1e, allowed %.0e.\n", checks.passed,
              checks.worst_error, examples::FeedForward::tolerance);
  std::printf("The final run returned %g. Logs: %s. Everything took %.1f s.\n", static_cast<double>(first),
              region.log_directory.empty() ? "none" : region.log_directory.c_str(),
              std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
}

void add_options(CLI::App& app, CommandLine& command_line) {
  app.add_option("--tokens", command_line.shape.tokens, "rows of the residual stream")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  app.add_option("--width", command_line.shape.width, "columns of the residual stream")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  app.add_option("--hidden", command_line.shape.hidden, "columns of the activation")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  app.add_option("--warmup", command_line.warmup, "uses of a config before its samples count")
      ->capture_default_str();
  app.add_option("--repeat", command_line.repeat, "samples of a config")->capture_default_str();
  examples::add_search_option(app, command_line.search);
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
  CLI::App app{"Tunes the feed-forward half of a transformer layer on the CPU"};
  add_options(app, command_line);
  CLI11_PARSE(app, argc, argv);
  try {
    tune(command_line);
  } catch (const std::exception& error) {
    std::cerr << "transformer_host: " << error.what() << "\n";
    return 1;
  }
  return 0;
}
