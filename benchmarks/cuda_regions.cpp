/// \file
/// The regions across GPUs beside what people use instead: an all-gather GEMM or a GEMM reduce-scatter with
/// its defaults, as NCCL and the best of cuBLASLt's algorithms, with each kernel tuned alone, after the walk,
/// after the joint search, and with the best of a subspace of sets.
///
///     mpirun -n 2 cuda_regions --region allgather --m 8192 --n 14336 --k 4096
///
/// A time is that of some calls in a row, divided by their number, on the slower rank: so it holds everything
/// from the moment at which the last rank is ready until the next call may begin. All sides take turns.

#include "cuda_common.hpp"
#include "cuda_region_layers.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/config.hpp>
#include <contextual/mpi.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace {

using namespace contextual;
using namespace contextual::benchmarks;
using Clock = std::chrono::steady_clock;

struct CommandLine {
  std::string region = "allgather";
  RegionShape shape;
  int rounds = 100;
  int calls = 5;
  int tunings = 1;
  bool pipelined = false;
  std::string log_directory;
  bool subspace = true;
};

/// One way of running the region, or one of its parts: with what is locked in for a name, or with the
/// defaults.
struct Side {
  std::string name;
  std::string region;
  Mode mode = Mode::use;
  void (RegionLayer::*body)(CUstream) = &RegionLayer::run;
  std::vector<double> ms{};
};

class Program {
 public:
  explicit Program(const CommandLine& line)
      : line_(line),
        communicator_(mpi_communicator(MPI_COMM_WORLD)),
        layer_((line.region == "allgather" ? make_allgather_layer : make_reduce_scatter_layer)(communicator_,
                                                                                               line.shape)),
        tuner_(base_options()) {}

  void run();

 private:
  bool speaks() const { return communicator_->rank() == 0; }
  Options base_options() const;
  Options only_way(const char* way) const;
  const RegionReport& tune(const std::string& region, const Options& options);
  std::size_t alone(const std::string& region, const std::string& kernel, const std::function<void()>& body);
  void tune_sides();
  double time_ms(const Side& side);
  double slowest(double value);
  void print() const;
  void print_limit(const Side& side) const;

  CommandLine line_;
  std::shared_ptr<Communicator> communicator_;
  std::unique_ptr<RegionLayer> layer_;
  Stream stream_;
  ContextualAutotuner tuner_;
  Report report_;
  std::vector<Side> sides_;
  std::vector<Side> parts_;  ///< each alone, tuned for itself
};

Options Program::base_options() const {
  Options options;
  options.communicator = mpi_world();
  options.timer = cuda_timer;
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

/// Returns the config that a kernel gets when it is tuned by itself.
std::size_t Program::alone(const std::string& region, const std::string& kernel,
                           const std::function<void()>& body) {
  tuner_.run(region, body);
  report_ = tuner_.report();
  for (const ProblemReport& problem : report_.find(region)->problems) {
    if (problem.kernel == kernel) {
      return problem.choice;
    }
  }
  throw Error("region " + region + " did not launch " + kernel);
}

void Program::tune_sides() {
  sides_.push_back({.name = "defaults", .region = "joint", .mode = Mode::off});
  tune("separate", only_way("separate"));
  sides_.push_back({.name = "NCCL and cuBLASLt", .region = "separate"});

  Options each_alone = only_way("overlapped");
  each_alone.search_settings.factory =
      fixed_search({{layer_->gemm_kernel(),
                     alone("gemm_alone", layer_->gemm_kernel(), [&] { layer_->run_gemm(stream_); })},
                    {layer_->transfer_kernel(), alone("transfer_alone", layer_->transfer_kernel(),
                                                      [&] { layer_->run_transfer(stream_); })}});
  tune("each_alone", each_alone);
  sides_.push_back({.name = "each kernel alone", .region = "each_alone"});

  Options walk = only_way("overlapped");
  walk.search = SearchLevel::off;
  tune("walk", walk);
  sides_.push_back({.name = "walk", .region = "walk"});

  for (int i = 1; i <= line_.tunings; ++i) {
    const std::string region = "joint" + (i == 1 ? "" : "_" + std::to_string(i));
    tune(region, {});
    sides_.push_back({.name = "joint search" + (i == 1 ? "" : " " + std::to_string(i)), .region = region});
  }
  if (line_.subspace) {
    // The transfers by copy engines, which are the first configs, with as many GEMMs as make 300 sets.
    std::vector<std::size_t> transfers(14);
    std::vector<std::size_t> gemms(21);
    std::iota(transfers.begin(), transfers.end(), std::size_t{0});
    std::iota(gemms.begin(), gemms.end(), std::size_t{0});
    Options exhaustive = only_way("overlapped");
    exhaustive.search_settings.runs = 3000;
    exhaustive.search_settings.factory =
        subspace_search({{layer_->transfer_kernel(), transfers}, {layer_->gemm_kernel(), gemms}});
    tune("subspace", exhaustive);
    sides_.push_back({.name = "best of a subspace", .region = "subspace"});
  }
  parts_ = {{.name = "GEMM alone", .region = "gemm_alone", .body = &RegionLayer::run_gemm},
            {.name = "transfer alone", .region = "transfer_alone", .body = &RegionLayer::run_transfer},
            {.name = "handshake", .region = "handshake", .body = &RegionLayer::run_handshake}};
}

double Program::slowest(double value) {
  std::int64_t ns[] = {static_cast<std::int64_t>(value * 1e6)};
  communicator_->all_reduce_max(ns, Deadline::after(std::chrono::seconds(60)));
  return static_cast<double>(ns[0]) * 1e-6;
}

double Program::time_ms(const Side& side) {
  Options options;
  options.mode = side.mode;
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  CONTEXTUAL_CHECKED(cudaEventCreate(&begin));
  CONTEXTUAL_CHECKED(cudaEventCreate(&end));
  const auto call = [&] { ((*layer_).*side.body)(stream_); };
  tuner_.run(
      side.region,
      [&] {
        call();  // the ranks meet, and the host gets ahead of the device
        CONTEXTUAL_CHECKED(cudaEventRecord(begin, stream_));
        for (int i = 0; i < line_.calls; ++i) {
          call();
        }
        CONTEXTUAL_CHECKED(cudaEventRecord(end, stream_));
      },
      options);
  stream_.wait();
  float ms = 0;
  CONTEXTUAL_CHECKED(cudaEventElapsedTime(&ms, begin, end));
  CONTEXTUAL_CHECKED(cudaEventDestroy(begin));
  CONTEXTUAL_CHECKED(cudaEventDestroy(end));
  return slowest(static_cast<double>(ms) / line_.calls);
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

/// What a region would take if all but its longest part cost nothing, and how much of the rest is hidden.
void Program::print_limit(const Side& side) const {
  std::vector<double> shares;
  std::vector<double> hidden;
  for (std::size_t round = 0; round < side.ms.size(); ++round) {
    const double gemm = parts_[0].ms[round];
    const double transfer = parts_[1].ms[round];
    const double longest = std::max(gemm, transfer);
    shares.push_back(longest / side.ms[round]);
    hidden.push_back((gemm + transfer - side.ms[round]) / (gemm + transfer - longest));
  }
  const Interval share = interval(shares);
  const Interval part = interval(hidden);
  std::printf("  %-20s limit over result %.3f (%.3f to %.3f), hidden %.2f (%.2f to %.2f)\n",
              side.name.c_str(), share.middle, share.low, share.high, part.middle, part.low, part.high);
}

void Program::print() const {
  std::printf("\n%s %d x %d x %d, %d rounds of %d calls, ms of the slower rank\n", line_.region.c_str(),
              line_.shape.m, line_.shape.n, line_.shape.k, line_.rounds, line_.calls);
  const Side& last = sides_.back();
  for (const Side& side : sides_) {
    std::vector<double> ratios;
    for (std::size_t round = 0; round < side.ms.size(); ++round) {
      ratios.push_back(side.ms[round] / last.ms[round]);
    }
    const Interval ratio = interval(ratios);
    const Interval ms = interval(side.ms);
    std::printf("  %-20s %8.4f (%.4f to %.4f)  over %s: %.4f (%.4f to %.4f)\n", side.name.c_str(), ms.middle,
                ms.low, ms.high, last.name.c_str(), ratio.middle, ratio.low, ratio.high);
  }
  for (const Side& part : parts_) {
    const Interval ms = interval(part.ms);
    std::printf("  %-20s %8.4f (%.4f to %.4f)\n", part.name.c_str(), ms.middle, ms.low, ms.high);
  }
  for (const Side& side : sides_) {
    print_limit(side);
  }
}

void Program::run() {
  tune_sides();
  std::vector<Side*> all;
  for (auto* const group : {&sides_, &parts_}) {
    for (Side& side : *group) {
      all.push_back(&side);
    }
  }
  for (int round = -1; round < line_.rounds; ++round) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      Side& side = *all[(i + static_cast<std::size_t>(round + 1)) % all.size()];
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

int main(int argc, char** argv) {
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
  app.add_flag("--pipelined", line.pipelined, "tune with iterations that follow each other without a join");
  app.add_flag("!--no-subspace", line.subspace, "without the best of a subspace");
  return run_program(app, argc, argv, [&] {
    int devices = 0;
    CONTEXTUAL_CHECKED(cudaGetDeviceCount(&devices));
    CONTEXTUAL_CHECKED(cudaSetDevice(world->rank() % devices));
    Program program(line);
    program.run();
    return 0;
  });
}
