/// \file
/// The regions across GPUs beside what people use instead: an all-gather GEMM or a GEMM reduce-scatter with
/// its defaults, as NCCL and the best of cuBLASLt's algorithms, with each kernel tuned alone, and tuned
/// together by the joint search. All of them are checked.
///
///     mpirun -n 2 cuda_regions --region allgather --m 8192 --n 14336 --k 4096 --brief
///
/// Without `--brief` there are more sides: after the walk, tuned together timed again, which shows what is
/// noise, and the best of a subspace of sets. peers/torch_regions.py runs the same in a process that has
/// PyTorch, whose ways are sides as well.
///
/// A time is that of some calls in a row, divided by their number, on the slower rank: so it holds everything
/// from the moment at which the last rank is ready until the next call may begin. All sides take turns. With
/// --graph they do so once more, where a call is the replay of a graph that holds one. The host's time is
/// that of the same calls until they return.
///
/// The limit, which a call would take if all but its longest part cost nothing, is the longest of: the faster
/// of the own GEMM and cuBLASLt's; the plain copies that move the data; the bytes that the region must read
/// and write at the speed at which the device copies. It is an estimate: a device reads faster than it
/// copies, and small weights stay in its cache. Clock and power are those of rank 0 while all sides take
/// turns.

#include "cuda_regions.hpp"

#include "common/run_on_gpus.hpp"
#include "common/several_ranks.hpp"
#include "cuda_common.hpp"
#include "cuda_device_load.hpp"
#include "cuda_region_layers.hpp"
#include "cuda_turns.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/config.hpp>
#include <contextual/error.hpp>
#include <contextual/kernels/cuda/cublaslt.hpp>
#include <contextual/mpi.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace contextual::benchmarks {
namespace {

constexpr const char* tuned_together = "tuned together";  // the last side, with which the others are compared

struct CommandLine {
  std::string region = "allgather";
  RegionShape shape;
  int rounds = 100;
  int calls = 5;
  int tunings = 1;
  bool pipelined = false;
  bool graph = false;
  std::string log_directory;
  bool brief = false;
};

/// One way of running the region, or one of its parts: with what is locked in for a name, or with the
/// defaults. Without a name, it is no work of the tuner's.
struct Side {
  std::string name;
  std::string region;
  std::function<void()> call;
  Mode mode = Mode::use;
  double tuning_s = 0;
  cudaGraphExec_t graph = nullptr;
  std::vector<double> ms{};
  std::vector<double> host_us{};
};

/// Of one call, on the slower rank.
struct CallTime {
  double ms;
  double host_us;  ///< until it returns
};

class Program {
 public:
  Program(const CommandLine& line, std::vector<ForeignSide> foreign)
      : line_(line),
        foreign_(std::move(foreign)),
        ranks_(std::chrono::seconds(60)),
        layer_((line.region == "allgather" ? make_allgather_layer : make_reduce_scatter_layer)(
            mpi_communicator(MPI_COMM_WORLD), line.shape)),
        whole_(layer_->whole()),
        stream_(whole_.stream().get()),
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
  bool speaks() const { return ranks_.rank() == 0; }
  Options base_options() const;
  static Options only_way(const char* way) { return only("_ways", way); }
  void add_side(const std::string& name, const std::string& region, double tuning_s, Mode mode = Mode::use) {
    sides_.push_back({.name = name,
                      .region = region,
                      .call = [this] { whole_.run(); },
                      .mode = mode,
                      .tuning_s = tuning_s});
  }
  double tune(const std::string& region, const std::function<void()>& body, const Options& options = {});
  double tune_whole(const std::string& region, const Options& options = {}) {
    return tune(
        region, [this] { whole_.run(); }, options);
  }
  void tune_sides();
  void tune_way(const char* way, const std::string& name);
  double tune_each_alone();
  void tune_more_sides();
  void tune_parts();
  void add_foreign_sides();
  void capture(std::vector<Side>& sides);
  void run_side(const Side& side, const std::function<void()>& body);
  CallTime time(const Side& side);
  void check(const Side& side);
  void check_and_time();
  double compulsory_ms();
  std::vector<Side> rows() const;
  void print() const;

  CommandLine line_;
  std::vector<ForeignSide> foreign_;
  examples::Ranks ranks_;
  std::unique_ptr<RegionLayer> layer_;
  examples::CheckedLayer& whole_;
  cudaStream_t stream_;  ///< the layer's
  ContextualAutotuner tuner_;
  Report report_;
  bool each_alone_ = true;  ///< the region can run with what is fastest alone
  std::vector<Side> sides_;
  std::vector<Side> parts_;  ///< each alone, tuned for itself
  double compulsory_ms_ = 0;
  int checked_ = 0;
  double worst_error_ = 0;
  DeviceLoad load_;
};

Options Program::base_options() const {
  Options options;
  options.communicator = mpi_world();
  options.timer = cuda_timer;
  options.cache_directory = "";  // what it shows is tuning
  options.log_directory = line_.log_directory;
  options.iterations = line_.pipelined ? Iterations::pipelined : Iterations::joined;
  if (line_.brief) {
    options.search_settings.time = std::chrono::seconds(20);
  }
  return options;
}

/// Returns how long it took, in seconds.
double Program::tune(const std::string& region, const std::function<void()>& body, const Options& options) {
  const double seconds = elapsed([&] { tuner_.run(region, body, options); });
  report_ = tuner_.report();
  if (speaks() && (!line_.brief || region == "joint")) {
    std::printf("\n%s", report_.find(region)->choices_text().c_str());
  }
  return seconds;
}

/// First what is compared with the others, so that its time holds what is compiled.
void Program::tune_sides() {
  const double joint_s = tune_whole("joint");
  add_side("defaults", "joint", 0, Mode::off);
  tune_way("separate", "NCCL, then cuBLASLt");
  const std::vector<const char*> gathers{"overlapped", "copied"};
  const std::vector<const char*> scatters{"overlapped", "split", "one_shot"};
  for (const char* const way : line_.region == "allgather" ? gathers : scatters) {
    tune_way(way, way);
  }
  const double each_s = tune_each_alone();
  add_side(each_alone_ ? "each kernel tuned alone" : "tuned by a walk", "each_alone", each_s);
  if (!line_.brief) {
    tune_more_sides();
  }
  add_foreign_sides();
  add_side(tuned_together, "joint", joint_s);
  tune_parts();
}

/// Leaves the side out where the ranks have no such way.
void Program::tune_way(const char* way, const std::string& name) {
  try {
    add_side(name, way, tune_whole(way, only_way(way)));
  } catch (const TuningFailedError& error) {
    if (speaks()) {
      std::printf("\nleft out: %s: %s\n", name.c_str(), error.what());
    }
  }
}

double Program::tune_each_alone() {
  const double gemm_s = tune("gemm_alone", [this] { product_of_region()(stream_, layer_->product()); });
  Options options = only_way("overlapped");
  const std::size_t alone = report_.find("gemm_alone")->problems.at(0).choice;
  options.search_settings.factory = fixed_search({{layer_->gemm_kernel(), alone}});
  const double seconds = gemm_s + tune_whole("each_alone", options);
  // The region may leave the config out, as its tiles are those of a rank's rows.
  const std::vector<ProblemReport>& problems = report_.find("each_alone")->problems;
  each_alone_ = std::any_of(problems.begin(), problems.end(), [&](const ProblemReport& problem) {
    return problem.kernel == layer_->gemm_kernel() && problem.choice == alone;
  });
  return seconds;
}

void Program::tune_more_sides() {
  Options walk = only_way("overlapped");
  walk.search = SearchLevel::off;
  add_side("walk", "walk", tune_whole("walk", walk));

  std::vector<std::size_t> configs(300);  // at most
  std::iota(configs.begin(), configs.end(), std::size_t{0});
  Options exhaustive = only_way("overlapped");
  exhaustive.search_settings.runs = 3000;
  exhaustive.search_settings.factory = subspace_search({{layer_->gemm_kernel(), std::move(configs)}});
  add_side("best of a subspace", "subspace", tune_whole("subspace", exhaustive));

  for (int i = line_.tunings; i >= 2; --i) {
    const std::string region = "joint_" + std::to_string(i);
    add_side("tuned together " + std::to_string(i), region, tune_whole(region));
  }
  add_side("tuned together, timed again", "joint", 0);
}

void Program::tune_parts() {
  const auto cublaslt = [this] { kernels::cuda::cublaslt_gemm()(stream_, layer_->product()); };
  tune("cublaslt_alone", cublaslt);
  parts_ = {{.name = "GEMM alone",
             .region = "gemm_alone",
             .call = [this] { product_of_region()(stream_, layer_->product()); }},
            {.name = "cuBLASLt alone", .region = "cublaslt_alone", .call = cublaslt},
            {.name = "transfer alone", .region = "", .call = [this] { layer_->run_transfer(); }}};
}

/// Those that work on all ranks.
void Program::add_foreign_sides() {
  for (const ForeignSide& foreign : foreign_) {
    std::string problem;
    try {
      foreign.call(stream_);
      whole_.stream().wait();
    } catch (const std::exception& error) {
      problem = error.what();
    }
    if (ranks_.slowest(problem.empty() ? 0 : 1) == 0) {
      sides_.push_back(
          {.name = foreign.name, .region = "", .call = [this, &foreign] { foreign.call(stream_); }});
    } else if (speaks()) {
      std::printf("\nleft out: %s: %s\n", foreign.name.c_str(), problem.c_str());
    }
  }
}

/// Takes away those that cannot be captured on some rank.
void Program::capture(std::vector<Side>& sides) {
  std::erase_if(sides, [this](Side& side) {
    std::string problem;
    run_side(side, side.call);
    whole_.stream().wait();
    cudaGraph_t graph = nullptr;
    try {
      CONTEXTUAL_CHECKED(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
      run_side(side, side.call);
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
    const bool all = ranks_.slowest(problem.empty() ? 0 : 1) == 0;
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

CallTime Program::time(const Side& side) {
  const Event begin;
  const Event end;
  const auto call = [&] {
    if (side.graph != nullptr) {
      CONTEXTUAL_CHECKED(cudaGraphLaunch(side.graph, stream_));
    } else {
      side.call();
    }
  };
  double host_us = 0;
  const auto calls = [&] {
    call();  // the ranks meet, and the host gets ahead of the device
    begin.record(stream_);
    host_us = ns_per_call(line_.calls, call) / 1e3;
    end.record(stream_);
  };
  if (side.graph != nullptr) {
    calls();
  } else {
    run_side(side, calls);
  }
  load_.sample();  // while it works
  whole_.stream().wait();
  return {ranks_.slowest(end.us_since(begin) / 1e3 / line_.calls), ranks_.slowest(host_us)};
}

/// Throws if it computes something wrong.
void Program::check(const Side& side) {
  whole_.prepare();
  time(side);
  const double error = ranks_.slowest(std::min(whole_.error(), 1e6));  // not infinity: ranks compare integers
  if (!(error <= 1)) {
    throw Error("wrong result of " + side.name + ": error over its bound " + std::to_string(error));
  }
  worst_error_ = std::max(worst_error_, error);
  ++checked_;
}

/// What the region must read and write, at the speed at which the device copies.
double Program::compulsory_ms() {
  constexpr std::size_t bytes = std::size_t{1} << 30;
  constexpr int copies = 9;
  const Buffer<char> from(bytes);
  const Buffer<char> to(bytes);
  std::vector<double> ms;
  const Side side{
      .name = "copy", .region = "", .call = [&] {
        CONTEXTUAL_CHECKED(cudaMemcpyAsync(to.get(), from.get(), bytes, cudaMemcpyDeviceToDevice, stream_));
      }};
  for (int copy = 0; copy < copies; ++copy) {
    ms.push_back(time(side).ms);
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

/// What is printed: the sides, the parts unless it is to be brief, and the limit.
std::vector<Side> Program::rows() const {
  std::vector<Side> rows = sides_;
  Side limit{.name = "limit", .region = "", .call = {}};
  for (std::size_t round = 0; round < sides_.back().ms.size(); ++round) {
    const double gemm = std::min(parts_[0].ms[round], parts_[1].ms[round]);
    limit.ms.push_back(std::max({gemm, parts_[2].ms[round], compulsory_ms_}));
  }
  if (!line_.brief) {
    rows.insert(rows.end(), parts_.begin(), parts_.end());
    rows.push_back({.name = "compulsory bytes",
                    .region = "",
                    .call = {},
                    .ms = std::vector<double>(limit.ms.size(), compulsory_ms_)});
  }
  rows.push_back(std::move(limit));
  return rows;
}

void Program::print() const {
  cudaDeviceProp device{};
  CONTEXTUAL_CHECKED(cudaGetDeviceProperties(&device, 0));
  const Side& last = sides_.back();
  std::printf("\n%s %d x %d x %d, %d ranks, %s, %s, %d rounds of %d %s in turn, ms on the slower rank\n\n",
              line_.region.c_str(), line_.shape.m, line_.shape.n, line_.shape.k, ranks_.size(), device.name,
              load_.text().c_str(), line_.rounds, line_.calls, last.graph != nullptr ? "replays" : "calls");
  std::printf("  %-28s ms (95 %% interval)           over %s\n", "", last.name.c_str());
  for (const Side& row : rows()) {
    const Interval ratio = interval(ratios(row.ms, last.ms));
    const Interval ms = interval(row.ms);
    std::printf("  %-28s %.4f (%.4f to %.4f)  %.3f (%.3f to %.3f)", row.name.c_str(), ms.middle, ms.low,
                ms.high, ratio.middle, ratio.low, ratio.high);
    if (!row.host_us.empty()) {
      std::printf("  host %.1f us", median(row.host_us));
    }
    if (row.tuning_s > 0) {
      std::printf("  tuned in %.1f s", row.tuning_s);
    }
    std::printf("\n");
  }
  std::printf(
      "\nAll %d results that were looked at were right: largest error over its bound %.1e, allowed 1.\n",
      checked_, worst_error_);
}

void Program::run() {
  if (const std::string& problem = whole_.workspace().problem(); !problem.empty()) {
    if (speaks()) {
      std::printf("skipped: the ranks cannot use each other's memory: %s\n", problem.c_str());
    }
    return;
  }
  tune_sides();
  compulsory_ms_ = compulsory_ms();
  check_and_time();
  if (line_.graph) {
    capture(sides_);
    const std::size_t parts = parts_.size();
    capture(parts_);
    if (parts_.size() != parts || sides_.empty() || sides_.back().name != tuned_together) {
      throw Error("the region or a part of it cannot be captured");
    }
    check_and_time();
  }
}

void Program::check_and_time() {
  checked_ = 0;
  worst_error_ = 0;
  load_ = {};
  for (const Side& side : sides_) {
    if (!side.region.empty()) {
      check(side);
    }
  }
  std::vector<Side*> all;
  for (auto* const group : {&sides_, &parts_}) {
    for (Side& side : *group) {
      side.ms.clear();
      side.host_us.clear();
      all.push_back(&side);
    }
  }
  for (int round = -1; round < line_.rounds; ++round) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::size_t place = (i + static_cast<std::size_t>(round + 1)) % all.size();
      Side& side = *all[round % 2 == 0 ? place : all.size() - 1 - place];  // so that neighbours change sides
      const CallTime taken = time(side);
      if (round >= 0) {
        side.ms.push_back(taken.ms);
        side.host_us.push_back(taken.host_us);
      }
    }
  }
  if (speaks()) {
    print();
  }
}

}  // namespace

int run_regions(int argc, char** argv, std::vector<ForeignSide> foreign) {
  BenchmarkApp app{"Regions across GPUs beside what people use instead"};
  CommandLine line;
  app.add_option("--region", line.region)->check(CLI::IsMember({"allgather", "reduce_scatter"}));
  app.add_option("--m", line.shape.m, "rows")->check(CLI::PositiveNumber);
  app.add_option("--n", line.shape.n, "columns of the weights; all-gather: of all ranks")
      ->check(CLI::PositiveNumber);
  app.add_option("--k", line.shape.k, "inner dimension; reduce-scatter: of all ranks")
      ->check(CLI::PositiveNumber);
  app.add_option("--rounds", line.rounds)->check(CLI::PositiveNumber);
  app.add_option("--calls", line.calls, "in a row")->check(CLI::PositiveNumber);
  app.add_option("--tunings", line.tunings, "by the joint search, each a side")->check(CLI::PositiveNumber);
  app.add_option("--log-directory", line.log_directory, "of the tunings; empty: none");
  app.add_flag("--graph", line.graph, "then time replays of a graph of one call");
  app.add_flag("--pipelined", line.pipelined, "tune with iterations that follow each other without a join");
  app.add_flag("--brief", line.brief, "only what a user would compare, each tuned for at most 20 s");
  std::unique_ptr<Program> program;
  return examples::run_on_gpus("cuda_regions", app, argc, argv, [&] {
    program = std::make_unique<Program>(line, std::move(foreign));
    program->run();
    program.reset();
  });
}

}  // namespace contextual::benchmarks
