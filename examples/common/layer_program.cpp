#include "common/layer_program.hpp"

#include "common/printing.hpp"
#include "common/report_options.hpp"
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

namespace examples {
namespace {

/// Throws if a result is wrong: then no time is worth anything.
void tune_and_check(CheckedLayer& layer, const std::string& name, const PrintedDetail& detail) {
  Ranks ranks(std::chrono::seconds(60));
  int passed = 0;
  double worst_error = 0;
  const auto check = [&] {
    const double error = layer.error();
    if (!(error <= 1)) {
      throw std::runtime_error("wrong result: error over its bound " + std::to_string(error));
    }
    worst_error = std::max(worst_error, error);
    ++passed;
  };
  contextual::Options options;
  options.communicator = contextual::mpi_world();
  options.timer = contextual::cuda_timer;
  options.before_iteration = [&](const contextual::IterationInfo&) {
    layer.prepare();
    ranks.barrier();
  };
  options.after_iteration = [&](const contextual::IterationInfo&) {
    if (layer.workspace().failure().empty()) {  // else the tuner rejects what was tried
      check();
    }
  };
  contextual::ContextualAutotuner tuner(options);
  tuner.run(name, [&] { layer.run(); });

  layer.prepare();
  ranks.barrier();
  layer.run();  // with what was chosen
  check();
  const contextual::Report report = tuner.report();
  const contextual::RegionReport& region = *report.find(name);
  const std::string equal = compare_choices(region, ranks, "");
  if (ranks.rank() == 0) {
    print_report(region, detail);
    std::printf("%s\nAll %d results were right: largest error over its bound %.1e, allowed 1.\n",
                equal.c_str(), passed, worst_error);
  }
}

}  // namespace

int run_layer_program(LayerProgram program, int argc, char** argv) {
  CLI::App app{program.purpose};
  const auto size = CLI::Range(1, 1 << 20);
  app.add_option("--m", program.sizes.m, "rows of all ranks")->check(size)->capture_default_str();
  app.add_option("--n", program.sizes.n, "columns of a rank's product")->check(size)->capture_default_str();
  app.add_option("--k", program.sizes.k, "inner dimension of a rank's product")
      ->check(size)
      ->capture_default_str();
  PrintedDetail detail;
  add_report_options(app, detail);
  std::unique_ptr<CheckedLayer> layer;
  return run_on_gpus(program.name, app, argc, argv, [&] {
    layer = program.make_layer(contextual::mpi_communicator(MPI_COMM_WORLD), program.sizes);
    const std::string& problem = layer->workspace().problem();
    if (layer->workspace().rank() == 0 && !problem.empty()) {
      print_wrapped("The ranks cannot use each other's memory, so NCCL carries the rows: " + problem);
    }
    tune_and_check(*layer, program.name, detail);
    layer.reset();
  });
}

}  // namespace examples
