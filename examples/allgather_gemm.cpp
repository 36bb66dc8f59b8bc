/// \file
/// Tunes an all-gather GEMM on several GPUs: every rank multiplies the rows of all ranks with its own
/// weights, and begins while the others' rows are under way.
///
///     mpirun -n 2 allgather_gemm
///
/// How the rows are transferred, how they are multiplied, and whether NCCL followed by cuBLASLt would be
/// faster, is chosen together, by the time of the whole. `--check` looks at the result of every tuning
/// iteration, `--straggler` makes a rank late, `--perf` only compares what is chosen with the defaults.

#include "common/gathered_gemm.hpp"
#include "common/printing.hpp"
#include "common/search_level.hpp"
#include "common/several_ranks.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/cuda.hpp>
#include <contextual/mpi.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

constexpr const char* region_name = "allgather_gemm";

struct CommandLine {
  contextual::kernels::cuda::AllGatherGemmShape shape{.m = 8192, .n = 7168, .k = 4096};
  bool fp16 = false;
  int warmup = 3;
  int repeat = 5;
  contextual::SearchLevel search = contextual::SearchLevel::normal;
  bool whole_table = false;
  bool check = false;
  bool perf = false;
  int rounds = 21;
  std::string straggler;
  std::string log_directory = ".autotune_logs";
};

/// Everything of one rank's run.
struct Program {
  explicit Program(const CommandLine& line)
      : command_line(line),
        ranks(std::chrono::seconds(60)),
        delay(examples::delay_of(line.straggler, ranks.rank(), ranks.size())),
        layer(contextual::mpi_communicator(MPI_COMM_WORLD), line.shape),
        tuner(options()) {}

  contextual::Options options();
  void run_region();
  void check(const std::string& where);

  CommandLine command_line;
  examples::Ranks ranks;
  std::chrono::microseconds delay;  ///< of this rank
  examples::GatheredGemm layer;
  int passed = 0;
  double worst_error = 0;
  contextual::ContextualAutotuner tuner;
};

void Program::run_region() {
  if (delay.count() > 0) {
    std::this_thread::sleep_for(delay);
  }
  layer.run();
}

/// Throws if the last run of the region computed something wrong: then no time of it is worth anything.
void Program::check(const std::string& where) {
  const double error = layer.error();
  if (!(error <= examples::GatheredGemm::tolerance)) {
    throw std::runtime_error("wrong result in " + where + ": relative error " + std::to_string(error));
  }
  worst_error = std::max(worst_error, error);
  ++passed;
}

contextual::Options Program::options() {
  contextual::Options options;
  options.communicator = contextual::mpi_world();
  options.timer = contextual::cuda_timer;
  options.n_warmup = command_line.warmup;
  options.n_repeat = command_line.repeat;
  options.search = command_line.search;
  options.log_directory = command_line.log_directory;
  if (command_line.check) {
    options.before_iteration = [this](const contextual::IterationInfo&) {
      layer.prepare();
      ranks.barrier();
    };
    options.after_iteration = [this](const contextual::IterationInfo& info) {
      if (layer.workspace().failure().empty()) {  // else the tuner rejects what was tried
        check(std::string(to_string(info.phase)) + " iteration " + std::to_string(info.tuning_iteration));
      }
    };
  }
  return options;
}

/// The slowest rank's time of one run in `mode`, on the host's clock.
double timed_run(Program& program, contextual::Mode mode) {
  double ms = 0;
  contextual::Options options;
  options.mode = mode;
  program.layer.wait();
  program.ranks.barrier();
  program.tuner.run(
      region_name,
      [&] {
        const auto begin = std::chrono::steady_clock::now();
        program.run_region();
        program.layer.wait();
        ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
      },
      options);
  return program.ranks.slowest(ms);
}

void compare(Program& program) {
  const auto run_ms = [&](contextual::Mode mode) { return timed_run(program, mode); };
  if (program.ranks.rank() == 0) {
    examples::compare_in_turn("The slowest rank's time on the host's clock", program.command_line.rounds,
                              run_ms);
    return;
  }
  for (int run = 0; run < 2 * (program.command_line.rounds + 1); ++run) {  // as many as rank 0 makes
    run_ms(run % 2 == 0 ? contextual::Mode::off : contextual::Mode::use);
  }
}

void run(Program& program) {
  const bool speaks = program.ranks.rank() == 0;
  const std::string& problem = program.layer.workspace().problem();
  if (speaks && !problem.empty()) {
    examples::print_wrapped("The ranks cannot use each other's memory, so NCCL carries the rows: " + problem);
  }
  program.tuner.run(region_name, [&] { program.run_region(); });
  const contextual::Report report = program.tuner.report();
  const contextual::RegionReport& region = *report.find(region_name);
  if (region.problems.empty()) {
    std::printf("Nothing was tuned: CONTEXTUAL_MODE is off or use.\n");
    return;
  }
  if (speaks && !program.command_line.perf) {
    examples::print_report(region, program.command_line.whole_table);
  }
  const std::string equal = examples::compare_choices(region, program.ranks, "");
  compare(program);
  program.layer.prepare();
  program.ranks.barrier();
  program.run_region();
  program.check("the run after the tuning");
  if (speaks) {
    std::printf(
        "\n%s\nAll %d results that were looked at were right: largest relative error %.1e, allowed %.0e.\n",
        equal.c_str(), program.passed, program.worst_error, examples::GatheredGemm::tolerance);
    std::printf("Logs: %s\n", region.log_directory.empty() ? "none" : region.log_directory.c_str());
  }
}

void add_options(CLI::App& app, CommandLine& command_line) {
  const auto size = CLI::Range(1, 1 << 20);
  app.add_option("--m", command_line.shape.m, "rows of all ranks")->check(size)->capture_default_str();
  app.add_option("--n", command_line.shape.n, "columns of the result, each rank's")
      ->check(size)
      ->capture_default_str();
  app.add_option("--k", command_line.shape.k, "columns of the input")->check(size)->capture_default_str();
  app.add_flag("--fp16", command_line.fp16, "fp16 instead of bf16");
  app.add_option("--warmup", command_line.warmup, "uses of a config before its samples count")
      ->capture_default_str();
  app.add_option("--repeat", command_line.repeat, "samples of a config")->capture_default_str();
  examples::add_search_option(app, command_line.search);
  app.add_flag("--check", command_line.check, "check the result of every tuning iteration");
  app.add_flag("--perf", command_line.perf, "print no report, only the comparison with the defaults");
  app.add_flag("--whole-table", command_line.whole_table, "print every tuning iteration");
  app.add_option("--rounds", command_line.rounds, "runs with defaults and tuned after the tuning")
      ->check(size)
      ->capture_default_str();
  app.add_option("--straggler", command_line.straggler, "RANK:MS: this rank begins late in every run");
  app.add_option("--log-directory", command_line.log_directory, "where the logs go; empty: none")
      ->capture_default_str();
}

}  // namespace

int main(int argc, char** argv) {
  std::unique_ptr<Program>
      program;  // lives until the process ends: after an error others may still write to its memory
  int rank = 0;
  try {
    const auto world = contextual::mpi_world();
    rank = world->rank();
    CommandLine command_line;
    CLI::App app{"Tunes an all-gather GEMM on several GPUs"};
    add_options(app, command_line);
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      return rank == 0 ? app.exit(error) : error.get_exit_code();
    }
    if (const std::string problem = contextual::cuda_problem(); !problem.empty()) {
      if (rank == 0) {
        std::printf("Skipped: there is no GPU to tune on (%s)\n", problem.c_str());
      }
      return 0;
    }
    int devices = 0;
    examples::check_cuda(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
    examples::check_cuda(cudaSetDevice(rank % devices), "cudaSetDevice");
    command_line.shape.type = command_line.fp16 ? contextual::kernels::cuda::GemmType::fp16
                                                : contextual::kernels::cuda::GemmType::bf16;
    program = std::make_unique<Program>(command_line);
    run(*program);
    program.reset();
  } catch (const std::exception& error) {
    std::cerr << "allgather_gemm, rank " + std::to_string(rank) + ": " + error.what() + "\n";
    examples::abort_all();
  }
  return 0;
}
