/// \file
/// Tunes the products of a LLaMA layer that are spread over several GPUs, as one region: all-gather and
/// product of q, k and v, product and reduce-scatter behind attention, all-gather and gated product, and
/// product and reduce-scatter; with
/// `--experts` the last two are a mixture of experts. Compares what is chosen with the defaults, and with
/// NCCL and own or cuBLASLt's products one after the other, tuned as well, eagerly and as graphs.
///
///     mpirun -n 2 llama_layer
///     mpirun -n 2 llama_layer --experts 8

#include "common/llama_layer.hpp"

#include "common/printing.hpp"
#include "common/report_options.hpp"
#include "common/run_on_gpus.hpp"
#include "common/search_level.hpp"
#include "common/several_ranks.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/config.hpp>
#include <contextual/cuda.hpp>
#include <contextual/error.hpp>
#include <contextual/mpi.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr const char* name = "layer";

struct CommandLine {
  examples::LlamaShape shape;
  contextual::SearchLevel search = contextual::SearchLevel::normal;
  examples::PrintedDetail detail;
  int rounds = 21;
  std::string log_directory = ".autotune_logs";
};

/// Everything of one rank's run.
struct Program {
  explicit Program(const CommandLine& line)
      : command_line(line),
        ranks(std::chrono::seconds(60)),
        layer(contextual::mpi_communicator(MPI_COMM_WORLD), line.shape),
        tuner(options()) {}

  contextual::Options options() const;
  void tune(const std::string& region, const std::function<void()>& call, const contextual::Options& options);
  void check(const char* what);

  CommandLine command_line;
  examples::Ranks ranks;
  examples::LlamaLayer layer;
  double worst_error = 0;
  contextual::ContextualAutotuner tuner;
};

contextual::Options Program::options() const {
  contextual::Options options;
  options.communicator = contextual::mpi_world();
  options.timer = contextual::cuda_timer;
  options.search = command_line.search;
  options.log_directory = command_line.log_directory;
  return options;
}

/// Every region is by NCCL.
bool is_unfused(std::span<const contextual::AssignedConfig> configs) {
  return std::all_of(configs.begin(), configs.end(), [](const contextual::AssignedConfig& config) {
    return config.config == nullptr || !config.kernel.ends_with("_ways") ||
           config.config->get<std::string>("alternative") == "separate";
  });
}

/// Throws if the last run of the region computed something wrong.
void Program::check(const char* what) {
  const double error = layer.error();
  if (!(error <= examples::LlamaLayer::tolerance)) {
    throw std::runtime_error("wrong result of " + std::string(what) + ": relative error " +
                             std::to_string(error));
  }
  worst_error = std::max(worst_error, error);
}

void Program::tune(const std::string& region, const std::function<void()>& call,
                   const contextual::Options& options) {
  tuner.run(region, call, options);
  const contextual::Report report = tuner.report();
  if (ranks.rank() == 0) {
    std::printf("\nRegion %s:\n\n", region.c_str());
    examples::print_report(*report.find(region), command_line.detail);
  }
  examples::compare_choices(*report.find(region), ranks, "");
}

/// One way of computing the layer.
struct Way {
  std::string name;
  std::function<void()> run;
  examples::Times times;
};

/// A graph of the layer.
class CapturedLayer {
 public:
  CapturedLayer(cudaStream_t stream, const std::function<void()>& run) : stream_(stream) {
    cudaGraph_t graph = nullptr;
    examples::check_cuda(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal),
                         "cudaStreamBeginCapture");
    run();
    examples::check_cuda(cudaStreamEndCapture(stream_, &graph), "cudaStreamEndCapture");
    const cudaError_t code = cudaGraphInstantiate(&graph_, graph, 0);
    cudaGraphDestroy(graph);
    examples::check_cuda(code, "cudaGraphInstantiate");
  }
  CapturedLayer(const CapturedLayer&) = delete;
  CapturedLayer& operator=(const CapturedLayer&) = delete;
  ~CapturedLayer() { cudaGraphExecDestroy(graph_); }

  void launch() const { examples::check_cuda(cudaGraphLaunch(graph_, stream_), "cudaGraphLaunch"); }

 private:
  cudaStream_t stream_;
  cudaGraphExec_t graph_ = nullptr;
};

/// All ways in turn, so that all see the same machine; the slowest rank's time.
void compare(Program& program, std::vector<Way>& ways) {
  for (int round = 0; round <= program.command_line.rounds; ++round) {
    for (Way& way : ways) {
      program.layer.poison();
      program.ranks.barrier();
      const auto begin = std::chrono::steady_clock::now();
      way.run();
      program.layer.wait();
      const double ms =
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
      const double slowest = program.ranks.slowest(ms);
      if (round == 0) {  // warms up
        program.check(way.name.c_str());
      } else {
        way.times.ms.push_back(slowest);
      }
    }
  }
  if (program.ranks.rank() == 0) {
    std::printf("\nThe slowest rank's time on the host's clock, %d runs each, in turn:\n",
                program.command_line.rounds);
    for (const Way& way : ways) {
      way.times.print(way.name);
    }
  }
}

/// Tunes each part by itself, with NCCL. Outside of regions a part then uses what was chosen last. Returns
/// false, and says so, where the ranks have no NCCL: two of them may share a GPU.
bool tune_unfused(Program& program) {
  contextual::Options options;
  options.feasible = is_unfused;
  examples::LlamaLayer& layer = program.layer;
  try {
    program.tune(
        "qkv_by_nccl", [&] { layer.project_qkv(); }, options);
    program.tune(
        "out_by_nccl", [&] { layer.project_out(); }, options);
    program.tune(
        "up_by_nccl", [&] { layer.feed_up(); }, options);
    program.tune(
        "down_by_nccl", [&] { layer.feed_down(); }, options);
  } catch (const contextual::TuningFailedError& error) {
    if (error.infeasible().empty()) {
      throw;
    }
    if (program.ranks.rank() == 0) {
      std::printf("\nNot compared with NCCL, because it cannot be used by these ranks.\n");
    }
    return false;
  }
  return true;
}

void run(Program& program) {
  const auto unfused = [&program] { program.layer.run(); };
  program.tune(name, unfused, {});
  const auto in_mode = [&](contextual::Mode mode) {
    contextual::Options options;
    options.mode = mode;
    return [&program, unfused, options] { program.tuner.run(name, unfused, options); };
  };
  const auto chosen = in_mode(contextual::Mode::use);
  std::optional<CapturedLayer> unfused_graph;
  std::vector<Way> ways{{"defaults", in_mode(contextual::Mode::off), {}}};
  if (tune_unfused(program)) {
    unfused_graph.emplace(program.layer.stream(), unfused);
    ways.push_back({"NCCL and products", unfused, {}});
    ways.push_back({"NCCL and products, graph", [&] { unfused_graph->launch(); }, {}});
  }
  const CapturedLayer chosen_graph(program.layer.stream(), chosen);
  ways.push_back({"chosen", chosen, {}});
  ways.push_back({"chosen, graph", [&] { chosen_graph.launch(); }, {}});
  compare(program, ways);
  if (program.ranks.rank() == 0) {
    std::printf("\nAll results that were looked at were right: largest relative error %.1e, allowed %.0e.\n",
                program.worst_error, examples::LlamaLayer::tolerance);
  }
}

void add_options(CLI::App& app, CommandLine& command_line) {
  const auto size = CLI::Range(1, 1 << 20);
  app.add_option("--tokens", command_line.shape.tokens, "rows of all ranks")
      ->check(size)
      ->capture_default_str();
  app.add_option("--hidden", command_line.shape.hidden, "columns of input and output")
      ->check(size)
      ->capture_default_str();
  app.add_option("--inner", command_line.shape.inner, "columns in between, of all ranks, or of an expert")
      ->check(size)
      ->capture_default_str();
  app.add_option("--experts", command_line.shape.experts, "0: the feed-forward part is dense")
      ->check(CLI::Range(0, 512))
      ->capture_default_str();
  app.add_option("--top-k", command_line.shape.top_k, "experts of a token")
      ->check(size)
      ->capture_default_str();
  examples::add_search_option(app, command_line.search);
  examples::add_report_options(app, command_line.detail);
  app.add_option("--rounds", command_line.rounds, "runs of each way after the tuning")
      ->check(size)
      ->capture_default_str();
  app.add_option("--log-directory", command_line.log_directory, "where the logs go; empty: none")
      ->capture_default_str();
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine command_line;
  CLI::App app{"Tunes the products of a LLaMA layer on several GPUs"};
  add_options(app, command_line);
  std::unique_ptr<Program> program;
  return examples::run_on_gpus("llama_layer", app, argc, argv, [&] {
    program = std::make_unique<Program>(command_line);
    run(*program);
    program.reset();
  });
}
