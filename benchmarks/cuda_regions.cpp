/// \file
/// The regions across GPUs beside what people use instead: an all-gather GEMM or a GEMM reduce-scatter with
/// its defaults, as NCCL and the best of cuBLASLt's algorithms, with each kernel tuned alone, after the walk,
/// after the joint search (twice, which shows what is noise), and with the best of a subspace of sets.
///
///     mpirun -n 2 cuda_regions --region allgather --m 8192 --n 14336 --k 4096
///
/// peers/torch_regions.py runs the same in a process that has PyTorch, whose ways are sides as well.
///
/// A time is that of some calls in a row, divided by their number, on the slower rank: so it holds everything
/// from the moment at which the last rank is ready until the next call may begin. All sides take turns. With
/// --graph a call is the replay of a graph that holds one.
///
/// The limit is the longest of: the faster of the own GEMM and cuBLASLt's; the plain copies that
/// move the data; the bytes that the region must read and write at the speed at which the device copies. It
/// is an estimate: a device reads faster than it copies, and small weights stay in its cache. Clock and power
/// are those of rank 0 while all sides take turns.

#include "cuda_regions.hpp"

#include "cuda_device_load.hpp"
#include "cuda_region_layers.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/config.hpp>
#include <contextual/mpi.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace contextual::benchmarks {
namespace {

using Clock = std::chrono::steady_clock;

struct CommandLine {
  std::string region = "allgather";
  RegionShape shape;
  int rounds = 100;
  int calls = 5;
  int tunings = 1;
  bool pipelined = false;
  bool graph = false;
  std::string log_directory;
  bool subspace = true;
};

/// One way of running the region, or one of its parts: with what is locked in for a name, or with the
/// defaults. Without a name, it is no work of the tuner's.
struct Side {
  std::string name;
  std::string region;
  std::function<void(CUstream)> call;
  Mode mode = Mode::use;
  cudaGraphExec_t graph = nullptr;
  std::vector<double> ms{};
};

class Program {
 public:
  Program(const CommandLine& line, std::vector<ForeignSide> foreign)
      : line_(line),
        foreign_(std::move(foreign)),
        communicator_(mpi_communicator(MPI_COMM_WORLD)),
        layer_((line.region == "allgather" ? make_allgather_layer : make_reduce_scatter_layer)(communicator_,
                                                                                               line.shape)),
        tuner_(base_options()) {}
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {  // before NCCL's communicators, which wait for the graphs that hold their collectives
    for (const auto* const group : {&sides_, &parts_}) {
      for (const Side& side : *group) {
        if (side.graph != nullptr) {
          cudaGraphExecDestroy(side.graph);
        }
      }
    }
  }

  void run();

 private:
  bool speaks() const { return communicator_->rank() == 0; }
  Options base_options() const;
  std::function<void(CUstream)> member(void (RegionLayer::*body)(CUstream)) {
    return [this, body](CUstream stream) { ((*layer_).*body)(stream); };
  }
  Options only_way(const char* way) const;
  void add_side(const std::string& name, const std::string& region, Mode mode = Mode::use) {
    sides_.push_back({.name = name, .region = region, .call = member(&RegionLayer::run), .mode = mode});
  }
  const RegionReport& tune(const std::string& region, const Options& options);
  std::size_t alone(const std::string& region, const std::function<void()>& body);
  void tune_sides();
  void add_foreign_sides();
  void capture(std::vector<Side>& sides);
  void run_side(const Side& side, const std::function<void()>& body);
  double time_ms(const Side& side);
  double slowest(double value);
  double compulsory_ms();
  void print() const;
  void print_limit(const Side& side) const;

  CommandLine line_;
  std::vector<ForeignSide> foreign_;
  std::shared_ptr<Communicator> communicator_;
  std::unique_ptr<RegionLayer> layer_;
  Stream stream_;
  ContextualAutotuner tuner_;
  Report report_;
  std::vector<Side> sides_;
  std::vector<Side> parts_;  ///< each alone, tuned for itself
  double compulsory_ms_ = 0;
  DeviceLoad load_;
};

Options Program::base_options() const {
  Options options;
  options.communicator = mpi_world();
  options.timer = cuda_timer;
  options.cache_directory = "";  // what it shows is tuning
  options.log_directory = line_.log_directory;
  options.iterations = line_.pipelined ? Iterations::pipelined : Iterations::joined;
  return options;
}

/// Options under which only one of the two ways is feasible.
Options Program::only_way(const char* way) const {
  Options options;
  options.feasible = [way](std::span<const AssignedConfig> configs) {
    return std::all_of(configs.begin(), configs.end(), [way](const AssignedConfig& config) {
      return !config.kernel.ends_with("_ways") || config.config == nullptr ||
             config.config->get<std::string>("alternative") == way;
    });
  };
  return options;
}

const RegionReport& Program::tune(const std::string& region, const Options& options) {
  const auto begin = Clock::now();
  tuner_.run(
      region, [&] { layer_->run(stream_); }, options);
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  report_ = tuner_.report();
  const RegionReport& result = *report_.find(region);
  if (speaks()) {
    std::printf("\n%s: %.2f s, %lld runs of the region, of them %lld in the search\n%s", region.c_str(),
                seconds, static_cast<long long>(result.walk_iterations + result.search_iterations),
                static_cast<long long>(result.search_iterations), result.choices_text().c_str());
  }
  return result;
}

/// Returns the config that the only kernel of a region gets.
std::size_t Program::alone(const std::string& region, const std::function<void()>& body) {
  tuner_.run(region, body);
  report_ = tuner_.report();
  return report_.find(region)->problems.at(0).choice;
}

void Program::tune_sides() {
  add_side("defaults", "joint", Mode::off);
  tune("separate", only_way("separate"));
  add_side("NCCL and cuBLASLt", "separate");

  const std::size_t chosen_alone = alone("gemm_alone", [&] { layer_->run_gemm(stream_); });
  Options each_alone = only_way("overlapped");
  each_alone.search_settings.factory = fixed_search({{layer_->gemm_kernel(), chosen_alone}});
  tune("each_alone", each_alone);
  add_side("each kernel alone", "each_alone");

  Options walk = only_way("overlapped");
  walk.search = SearchLevel::off;
  tune("walk", walk);
  add_side("walk", "walk");

  if (line_.subspace) {
    std::vector<std::size_t> configs(300);  // at most
    std::iota(configs.begin(), configs.end(), std::size_t{0});
    Options exhaustive = only_way("overlapped");
    exhaustive.search_settings.runs = 3000;
    exhaustive.search_settings.factory = subspace_search({{layer_->gemm_kernel(), std::move(configs)}});
    tune("subspace", exhaustive);
    add_side("best of a subspace", "subspace");
  }
  add_foreign_sides();
  for (int i = line_.tunings; i >= 1; --i) {
    const std::string region = "joint" + (i == 1 ? "" : "_" + std::to_string(i));
    tune(region, {});
    add_side("joint search" + (i == 1 ? "" : " " + std::to_string(i)), region);
  }
  sides_.insert(sides_.end() - 1, sides_.back());
  sides_[sides_.size() - 2].name = "joint search, again";
  tuner_.run("cublaslt_alone", [&] { layer_->run_cublaslt(stream_); });
  parts_ = {
      {.name = "GEMM alone", .region = "gemm_alone", .call = member(&RegionLayer::run_gemm)},
      {.name = "cuBLASLt alone", .region = "cublaslt_alone", .call = member(&RegionLayer::run_cublaslt)},
      {.name = "transfer alone", .region = "", .call = member(&RegionLayer::run_transfer)}};
}

/// Those that work on all ranks.
void Program::add_foreign_sides() {
  for (const ForeignSide& foreign : foreign_) {
    std::string problem;
    try {
      foreign.call(stream_);
      stream_.wait();
    } catch (const std::exception& error) {
      problem = error.what();
    }
    if (slowest(problem.empty() ? 0 : 1) == 0) {
      sides_.push_back({.name = foreign.name, .region = "", .call = foreign.call});
    } else if (speaks()) {
      std::printf("\nleft out: %s: %s\n", foreign.name.c_str(), problem.c_str());
    }
  }
}

/// Takes away those that cannot be captured on some rank.
void Program::capture(std::vector<Side>& sides) {
  std::erase_if(sides, [this](Side& side) {
    std::string problem;
    run_side(side, [&] { side.call(stream_); });
    stream_.wait();
    cudaGraph_t graph = nullptr;
    try {
      CONTEXTUAL_CHECKED(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
      run_side(side, [&] { side.call(stream_); });
    } catch (const std::exception& error) {
      problem = error.what();
    }
    const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
    if (problem.empty() && ended != cudaSuccess) {
      problem = cudaGetErrorString(ended);
    }
    if (problem.empty()) {
      CONTEXTUAL_CHECKED(cudaGraphInstantiate(&side.graph, graph, 0));
    } else {
      static_cast<void>(cudaGetLastError());
    }
    if (graph != nullptr) {
      CONTEXTUAL_CHECKED(cudaGraphDestroy(graph));
    }
    const bool all = slowest(problem.empty() ? 0 : 1) == 0;
    if (!all && side.graph != nullptr) {
      CONTEXTUAL_CHECKED(cudaGraphExecDestroy(side.graph));
    }
    if (!all && speaks()) {
      std::printf("\nleft out, since it cannot be captured: %s: %s\n", side.name.c_str(), problem.c_str());
    }
    return !all;
  });
}

void Program::run_side(const Side& side, const std::function<void()>& body) {
  if (side.region.empty()) {
    body();
    return;
  }
  Options options;
  options.mode = side.mode;
  tuner_.run(side.region, body, options);
}

double Program::slowest(double value) {
  std::int64_t ns[] = {static_cast<std::int64_t>(value * 1e6)};
  communicator_->all_reduce_max(ns, Deadline::after(std::chrono::seconds(60)));
  return static_cast<double>(ns[0]) * 1e-6;
}

double Program::time_ms(const Side& side) {
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  CONTEXTUAL_CHECKED(cudaEventCreate(&begin));
  CONTEXTUAL_CHECKED(cudaEventCreate(&end));
  const auto call = [&] {
    if (side.graph != nullptr) {
      CONTEXTUAL_CHECKED(cudaGraphLaunch(side.graph, stream_));
    } else {
      side.call(stream_);
    }
  };
  const auto calls = [&] {
    call();  // the ranks meet, and the host gets ahead of the device
    CONTEXTUAL_CHECKED(cudaEventRecord(begin, stream_));
    for (int i = 0; i < line_.calls; ++i) {
      call();
    }
    CONTEXTUAL_CHECKED(cudaEventRecord(end, stream_));
  };
  if (side.graph != nullptr) {
    calls();
  } else {
    run_side(side, calls);
  }
  load_.sample();  // while it works
  stream_.wait();
  float ms = 0;
  CONTEXTUAL_CHECKED(cudaEventElapsedTime(&ms, begin, end));
  CONTEXTUAL_CHECKED(cudaEventDestroy(begin));
  CONTEXTUAL_CHECKED(cudaEventDestroy(end));
  return slowest(static_cast<double>(ms) / line_.calls);
}

/// What the region must read and write, at the speed at which the device copies.
double Program::compulsory_ms() {
  constexpr std::size_t bytes = std::size_t{1} << 30;
  constexpr int copies = 9;
  const Buffer<char> from(bytes);
  const Buffer<char> to(bytes);
  std::vector<double> ms;
  const Side side{
      .name = "copy", .region = "", .call = [&](CUstream stream) {
        CONTEXTUAL_CHECKED(cudaMemcpyAsync(to.get(), from.get(), bytes, cudaMemcpyDeviceToDevice, stream));
      }};
  for (int copy = 0; copy < copies; ++copy) {
    ms.push_back(time_ms(side));
  }
  return median(ms) * static_cast<double>(layer_->compulsory_bytes()) / (2.0 * static_cast<double>(bytes));
}

/// The middle value and the order statistics that hold the median with 95 %.
struct Interval {
  double low;
  double middle;
  double high;
};

Interval interval(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const double n = static_cast<double>(values.size());
  const double half = 0.98 * std::sqrt(n);  // 1.96 sqrt(n) / 2
  const auto at = [&](double place) {
    return values[static_cast<std::size_t>(std::clamp(std::round(place), 0.0, n - 1))];
  };
  return {at(n / 2 - half - 1), at((n - 1) / 2), at(n / 2 + half)};
}

/// What a region would take if all but its longest part cost nothing.
void Program::print_limit(const Side& side) const {
  std::vector<double> shares;
  for (std::size_t round = 0; round < side.ms.size(); ++round) {
    const double gemm = std::min(parts_[0].ms[round], parts_[1].ms[round]);
    shares.push_back(std::max({gemm, parts_[2].ms[round], compulsory_ms_}) / side.ms[round]);
  }
  const Interval share = interval(shares);
  std::printf("  %-28s limit over result %.3f (%.3f to %.3f)\n", side.name.c_str(), share.middle, share.low,
              share.high);
}

void Program::print() const {
  std::printf("\n%s %d x %d x %d, %d rounds of %d %s, ms of the slower rank, %s\n", line_.region.c_str(),
              line_.shape.m, line_.shape.n, line_.shape.k, line_.rounds, line_.calls,
              line_.graph ? "replays" : "calls", load_.text().c_str());
  const Side& last = sides_.back();
  for (const Side& side : sides_) {
    std::vector<double> ratios;
    for (std::size_t round = 0; round < side.ms.size(); ++round) {
      ratios.push_back(side.ms[round] / last.ms[round]);
    }
    const Interval ratio = interval(ratios);
    const Interval ms = interval(side.ms);
    std::printf("  %-28s %8.4f (%.4f to %.4f)  over %s: %.4f (%.4f to %.4f)\n", side.name.c_str(), ms.middle,
                ms.low, ms.high, last.name.c_str(), ratio.middle, ratio.low, ratio.high);
  }
  for (const Side& part : parts_) {
    const Interval ms = interval(part.ms);
    std::printf("  %-28s %8.4f (%.4f to %.4f)\n", part.name.c_str(), ms.middle, ms.low, ms.high);
  }
  std::printf("  %-28s %8.4f\n", "compulsory bytes", compulsory_ms_);
  for (const Side& side : sides_) {
    print_limit(side);
  }
}

void Program::run() {
  tune_sides();
  compulsory_ms_ = compulsory_ms();
  if (line_.graph) {
    capture(sides_);
    const std::size_t parts = parts_.size();
    capture(parts_);
    if (parts_.size() != parts) {
      throw Error("a part of the region cannot be captured");
    }
  }
  std::vector<Side*> all;
  for (auto* const group : {&sides_, &parts_}) {
    for (Side& side : *group) {
      all.push_back(&side);
    }
  }
  for (int round = -1; round < line_.rounds; ++round) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::size_t place = (i + static_cast<std::size_t>(round + 1)) % all.size();
      Side& side = *all[round % 2 == 0 ? place : all.size() - 1 - place];  // so that neighbours change sides
      const double ms = time_ms(side);
      if (round >= 0) {
        side.ms.push_back(ms);
      }
    }
  }
  if (speaks()) {
    print();
  }
}

}  // namespace

int run_regions(int argc, char** argv, std::vector<ForeignSide> foreign) {
  const auto world = mpi_world();
  CLI::App app{"Regions across GPUs beside what people use instead"};
  CommandLine line;
  app.add_option("--region", line.region)
      ->check(CLI::IsMember({"allgather", "reduce_scatter"}))
      ->capture_default_str();
  app.add_option("--m", line.shape.m, "rows")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--n", line.shape.n, "columns of the weights; all-gather: of all ranks")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--k", line.shape.k, "inner dimension; reduce-scatter: of all ranks")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--rounds", line.rounds)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--calls", line.calls, "in a row")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--tunings", line.tunings, "by the joint search, each a side")->check(CLI::PositiveNumber);
  app.add_option("--log-directory", line.log_directory, "of the tunings; empty: none");
  app.add_flag("--graph", line.graph, "time replays of a graph of one call");
  app.add_flag("--pipelined", line.pipelined, "tune with iterations that follow each other without a join");
  app.add_flag("!--no-subspace", line.subspace, "without the best of a subspace");
  return run_program(app, argc, argv, [&] {
    int devices = 0;
    CONTEXTUAL_CHECKED(cudaGetDeviceCount(&devices));
    CONTEXTUAL_CHECKED(cudaSetDevice(world->rank() % devices));
    Program program(line, std::move(foreign));
    program.run();
    return 0;
  });
}

}  // namespace contextual::benchmarks
