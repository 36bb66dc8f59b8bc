#include "cuda_share_region.hpp"

#include <string>

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

ShareRegion::ShareKernel::Definition ShareRegion::definition(const ShareWork& work) {
  ShareKernel::Definition definition;
  definition.source = CudaSource::text("cuda_shares.cu", share_source);
  definition.variant = [work](const ShareConfig&) {
    return CudaVariant{.function = "share",
                       .defines = {{"PROLOGUE", std::to_string(work.prologue_ns) + "ull"},
                                   {"ROUND", std::to_string(work.round_ns) + "ull"}}};
  };
  definition.layout = [](const ShareConfig& config, unsigned) {
    return CudaLayout{
        .grid = {static_cast<unsigned>(config.blocks)}, .block = {32}, .dynamic_shared_bytes = shared_bytes};
  };
  return definition;
}

ShareRegion::ShareRegion(const ConfigSpace<ShareConfig>& space, const ShareWork& work)
    : work_(work),
      first_("first", space, single_problem, definition(work)),
      second_("second", space, single_problem, definition(work)) {
  for (cudaEvent_t* event : {&begin_, &joined_, &end_}) {
    CONTEXTUAL_CHECKED(cudaEventCreate(event));
  }
  for (ShareKernel* kernel : {&first_, &second_}) {
    for (std::size_t config = 0; config < kernel->space().size(); ++config) {
      kernel->expect(config, Key{}, static_cast<cudaStream_t>(first_stream_), work_.items_of_first);
      kernel->prepare(config, Key{});
    }
  }
}

ShareRegion::~ShareRegion() {
  for (cudaEvent_t event : {begin_, joined_, end_}) {
    cudaEventDestroy(event);
  }
}

void ShareRegion::launch(Order order) {
  if (order == Order::first_first) {
    first_(first_stream_, work_.items_of_first);
  }
  second_(second_stream_, work_.items_of_second);
  if (order == Order::second_first) {
    first_(first_stream_, work_.items_of_first);
  }
}

void ShareRegion::wait() const {
  first_stream_.wait();
  second_stream_.wait();
}

double ShareRegion::time(const Pair& pair, Order order) {
  CONTEXTUAL_CHECKED(cudaEventRecord(begin_, first_stream_));
  CONTEXTUAL_CHECKED(cudaStreamWaitEvent(second_stream_, begin_, 0));
  const auto launch_first = [&] {
    CONTEXTUAL_CHECKED(
        first_.launch_config(pair.first, static_cast<cudaStream_t>(first_stream_), work_.items_of_first));
  };
  if (order == Order::first_first) {
    launch_first();
  }
  CONTEXTUAL_CHECKED(
      second_.launch_config(pair.second, static_cast<cudaStream_t>(second_stream_), work_.items_of_second));
  if (order == Order::second_first) {
    launch_first();
  }
  CONTEXTUAL_CHECKED(cudaEventRecord(joined_, second_stream_));
  CONTEXTUAL_CHECKED(cudaStreamWaitEvent(first_stream_, joined_, 0));
  CONTEXTUAL_CHECKED(cudaEventRecord(end_, first_stream_));
  wait();
  float ms = 0;
  CONTEXTUAL_CHECKED(cudaEventElapsedTime(&ms, begin_, end_));
  return 1000.0 * static_cast<double>(ms);
}

}  // namespace contextual::benchmarks
