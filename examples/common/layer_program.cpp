#include "common/layer_program.hpp"

#include "common/layer_command_line.hpp"
#include "common/printing.hpp"
#include "common/run_on_gpus.hpp"
#include "common/several_ranks.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/cuda.hpp>
#include <contextual/mpi.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <thread>

namespace examples {
namespace {

/// Everything of one rank's run.
class LayerRun {
 public:
  /// Collective.
  LayerRun(const LayerProgram& program, const LayerCommandLine& command_line)
      : region_name_(program.name),
        command_line_(command_line),
        ranks_(std::chrono::seconds(60)),
        delay_(delay_of(command_line.straggler, ranks_.rank(), ranks_.size())),
        layer_(program.make_layer(contextual::mpi_communicator(MPI_COMM_WORLD), command_line.typed_sizes())),
        tuner_(options()) {}

  /// Tunes, compares with the defaults and checks. Throws std::runtime_error for a wrong result.
  void run();

 private:
  contextual::Options options();
  void run_region();
  void check(const std::string& where);
  double timed_run(contextual::Mode mode);
  void compare();
  void print_end(const contextual::RegionReport& region, const std::string& equal) const;

  std::string region_name_;
  LayerCommandLine command_line_;
  Ranks ranks_;
  std::chrono::microseconds delay_;  ///< of this rank
  std::unique_ptr<CheckedLayer> layer_;
  int passed_ = 0;
  double worst_error_ = 0;
  contextual::ContextualAutotuner tuner_;
};

void LayerRun::run_region() {
  if (delay_.count() > 0) {
    std::this_thread::sleep_for(delay_);
  }
  layer_->run();
}

/// Throws if the last run of the region computed something wrong: then no time of it is worth anything.
void LayerRun::check(const std::string& where) {
  const ErrorMeasure measure = layer_->measure();
  const double error = layer_->error();
  if (!(error <= measure.allowed)) {
    throw std::runtime_error("wrong result in " + where + ": " + measure.name + " " + std::to_string(error));
  }
  worst_error_ = std::max(worst_error_, error);
  ++passed_;
}

contextual::Options LayerRun::options() {
  contextual::Options options;
  options.communicator = contextual::mpi_world();
  options.timer = contextual::cuda_timer;
  options.n_warmup = command_line_.warmup;
  options.n_repeat = command_line_.repeat;
  options.search = command_line_.search;
  options.log_directory = command_line_.log_directory;
  if (command_line_.check) {
    options.before_iteration = [this](const contextual::IterationInfo&) {
      layer_->prepare();
      ranks_.barrier();
    };
    options.after_iteration = [this](const contextual::IterationInfo& info) {
      if (layer_->workspace().failure().empty()) {  // else the tuner rejects what was tried
        check(std::string(to_string(info.phase)) + " iteration " + std::to_string(info.tuning_iteration));
      }
    };
  }
  return options;
}

/// The slowest rank's time of one run in `mode`, on the host's clock.
double LayerRun::timed_run(contextual::Mode mode) {
  double ms = 0;
  contextual::Options options;
  options.mode = mode;
  layer_->wait();
  ranks_.barrier();
  tuner_.run(
      region_name_,
      [&] {
        const auto begin = std::chrono::steady_clock::now();
        run_region();
        layer_->wait();
        ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
      },
      options);
  return ranks_.slowest(ms);
}

void LayerRun::compare() {
  const auto run_ms = [this](contextual::Mode mode) { return timed_run(mode); };
  if (ranks_.rank() == 0) {
    compare_in_turn("The slowest rank's time", command_line_.rounds, command_line_.detail, run_ms);
    return;
  }
  for (int run = 0; run < 2 * (command_line_.rounds + 1); ++run) {  // as many as rank 0 makes
    run_ms(run % 2 == 0 ? contextual::Mode::off : contextual::Mode::use);
  }
}

void LayerRun::print_end(const contextual::RegionReport& region, const std::string& equal) const {
  const ErrorMeasure measure = layer_->measure();
  std::printf("%s\nAll %d results that were looked at were right: largest %s %.1e, allowed %.0e. Logs: %s\n",
              equal.c_str(), passed_, measure.name.c_str(), worst_error_, measure.allowed,
              region.log_directory.empty() ? "none" : region.log_directory.c_str());
}

void LayerRun::run() {
  const bool speaks = ranks_.rank() == 0;
  const std::string& problem = layer_->workspace().problem();
  if (speaks && !problem.empty()) {
    print_wrapped("The ranks cannot use each other's memory, so NCCL carries the rows: " + problem);
  }
  tuner_.run(region_name_, [this] { run_region(); });
  const contextual::Report report = tuner_.report();
  const contextual::RegionReport& region = *report.find(region_name_);
  if (region.problems.empty()) {
    if (speaks) {
      std::printf("Nothing was tuned: CONTEXTUAL_MODE is off or use.\n");
    }
    return;
  }
  if (speaks && !command_line_.perf) {
    print_report(region, command_line_.detail);
  }
  const std::string equal = compare_choices(region, ranks_, "");
  compare();
  layer_->prepare();
  ranks_.barrier();
  run_region();
  check("the run after the tuning");
  if (speaks) {
    print_end(region, equal);
  }
}

}  // namespace

int run_layer_program(const LayerProgram& program, int argc, char** argv) {
  LayerCommandLine command_line;
  command_line.sizes = program.default_sizes;
  CLI::App app{program.purpose};
  add_options(app, command_line, program.size_texts);
  std::unique_ptr<LayerRun> run;
  return run_on_gpus(program.name, app, argc, argv, [&] {
    run = std::make_unique<LayerRun>(program, command_line);
    run->run();
    run.reset();
  });
}

}  // namespace examples
