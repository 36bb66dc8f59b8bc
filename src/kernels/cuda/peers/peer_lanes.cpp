#include "kernels/cuda/peers/peer_lanes.hpp"

#include "kernels/cuda/cuda_check.hpp"

namespace contextual::kernels::cuda {

PeerLanes::PeerLanes() {
  int least_urgent = 0;
  int most_urgent = 0;
  CONTEXTUAL_KERNELS_CUDA(cudaDeviceGetStreamPriorityRange(&least_urgent, &most_urgent));
  CONTEXTUAL_KERNELS_CUDA(cudaEventCreateWithFlags(&begin_, cudaEventDisableTiming));
  for (Lane& lane : lanes_) {
    // A kernel that fetches rows gets a multiprocessor before blocks of the kernel that waits for them.
    CONTEXTUAL_KERNELS_CUDA(cudaStreamCreateWithPriority(&lane.stream, cudaStreamNonBlocking, most_urgent));
    CONTEXTUAL_KERNELS_CUDA(cudaEventCreateWithFlags(&lane.end, cudaEventDisableTiming));
  }
}

PeerLanes::~PeerLanes() {
  for (const Lane& lane : lanes_) {
    cudaEventDestroy(lane.end);
    cudaStreamDestroy(lane.stream);
  }
  cudaEventDestroy(begin_);
}

void PeerLanes::fork(cudaStream_t stream, int count) {
  CONTEXTUAL_KERNELS_CUDA(cudaEventRecord(begin_, stream));
  for (int lane = 0; lane < count; ++lane) {
    CONTEXTUAL_KERNELS_CUDA(cudaStreamWaitEvent((*this)[lane], begin_, 0));
  }
  forked_ = count;
}

void PeerLanes::join(cudaStream_t stream) {
  for (int lane = 0; lane < forked_; ++lane) {
    const cudaEvent_t end = lanes_[static_cast<std::size_t>(lane)].end;
    CONTEXTUAL_KERNELS_CUDA(cudaEventRecord(end, (*this)[lane]));
    CONTEXTUAL_KERNELS_CUDA(cudaStreamWaitEvent(stream, end, 0));
  }
  forked_ = 0;
}

}  // namespace contextual::kernels::cuda
