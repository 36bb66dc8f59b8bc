#include "cuda_share_region.hpp"

#include <contextual/autotuner.hpp>

namespace contextual::benchmarks {
namespace {

constexpr const char* share_source =
#include "embedded/cuda_shares.cu.inc"
    ;
constexpr unsigned shared_bytes = 160 * 1024;  ///< more than half of what a multiprocessor has

}  // namespace

int multiprocessors() {
  int count = 0;
  CONTEXTUAL_CHECKED(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
  return count;
}

ConfigSpace<ShareConfig> on_multiprocessors(const std::vector<int>& numbers) {
  return ConfigSpace<ShareConfig>{{"BLOCKS", &ShareConfig::blocks, numbers}}.default_config({numbers[0]});
}

ShareRegion::ShareKernel::Definition ShareRegion::definition(const WorkOfKernel& work) {
  ShareKernel::Definition definition;
  definition.source = CudaSource::text("cuda_shares.cu", share_source);
  definition.variant = [work](const ShareConfig&) {
    return CudaVariant{.function = "share",
                       .defines = {{"PROLOGUE", std::to_string(work.prologue_ns) + "ull"},
                                   {"ROUND", std::to_string(work.round_ns) + "ull"},
                                   {"HANDED_OUT", work.handed_out ? "1" : "0"}}};
  };
  definition.layout = [](const ShareConfig& config, unsigned) {
    return CudaLayout{
        .grid = {static_cast<unsigned>(config.blocks)}, .block = {32}, .dynamic_shared_bytes = shared_bytes};
  };
  return definition;
}

ShareRegion::ShareRegion(const ConfigSpace<ShareConfig>& space, const ShareWork& work)
    : work_(work),
      first_("first", space, single_problem, definition(work.first)),
      second_("second", space, single_problem, definition(work.second)) {
  for (ShareKernel* kernel : {&first_, &second_}) {
    for (std::size_t config = 0; config < kernel->space().size(); ++config) {
      kernel->expect(config, Key{}, static_cast<cudaStream_t>(first_stream_), work_.first.items);
      kernel->load(config, Key{});
    }
  }
}

std::vector<ShareRegion::Pair> ShareRegion::pairs() const {
  std::vector<Pair> pairs;
  for (std::size_t first = 0; first < space().size(); ++first) {
    for (std::size_t second = 0; second < space().size(); ++second) {
      pairs.emplace_back(first, second);
    }
  }
  return pairs;
}

void ShareRegion::launch(Order order) {
  fork();
  if (order == Order::first_first) {
    first_(first_stream_, work_.first.items);
  }
  second_(second_stream_, work_.second.items);
  if (order == Order::second_first) {
    first_(first_stream_, work_.first.items);
  }
  join();
}

void ShareRegion::launch_pair(const Pair& pair, Order order) {
  const auto launch_first = [&] {
    CONTEXTUAL_CHECKED(
        first_.launch_config(pair.first, static_cast<cudaStream_t>(first_stream_), work_.first.items));
  };
  fork();
  if (order == Order::first_first) {
    launch_first();
  }
  CONTEXTUAL_CHECKED(
      second_.launch_config(pair.second, static_cast<cudaStream_t>(second_stream_), work_.second.items));
  if (order == Order::second_first) {
    launch_first();
  }
  join();
}

void ShareRegion::fork() {
  forked_.record(main_stream_);
  CONTEXTUAL_CHECKED(cudaStreamWaitEvent(first_stream_, forked_, 0));
  CONTEXTUAL_CHECKED(cudaStreamWaitEvent(second_stream_, forked_, 0));
}

void ShareRegion::join() {
  first_done_.record(first_stream_);
  second_done_.record(second_stream_);
  CONTEXTUAL_CHECKED(cudaStreamWaitEvent(main_stream_, first_done_, 0));
  CONTEXTUAL_CHECKED(cudaStreamWaitEvent(main_stream_, second_done_, 0));
}

void ShareRegion::wait() const {
  first_stream_.wait();
  second_stream_.wait();
  main_stream_.wait();
}

double ShareRegion::time_in_a_row(const Pair& pair, Order order, int calls) {
  wait();
  begin_.record(main_stream_);
  for (int call = 0; call < calls; ++call) {
    launch_pair(pair, order);
  }
  end_.record(main_stream_);
  wait();
  return end_.us_since(begin_) / calls;
}

ShareTuning tune(ShareRegion& region, Order order, Options options) {
  ShareTuning tuning;
  options.always_tune = true;
  options.log_directory = "";
  options.cache_directory = "";
  options.before_iteration = [&](const IterationInfo&) { ++tuning.runs; };
  ContextualAutotuner tuner(options);
  tuning.wall_us = elapsed<std::micro>([&] {
    tuner.run("two persistent kernels", [&] { region.launch(order); });
    region.wait();
  });
  const Report report = tuner.report();
  for (const ProblemReport& problem : report.runs.back().problems) {
    (problem.kernel == "first" ? tuning.choice.first : tuning.choice.second) = problem.choice;
  }
  return tuning;
}

}  // namespace contextual::benchmarks
