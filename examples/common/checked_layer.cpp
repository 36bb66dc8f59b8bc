#include "common/checked_layer.hpp"

#include <cstdint>
#include <utility>

namespace examples {

RandomMatrix layer_matrix(int number) {
  return {.number = static_cast<std::uint64_t>(number), .scale = 0.2F};
}

CheckedLayer::CheckedLayer(std::shared_ptr<contextual::kernels::cuda::PeerWorkspace> workspace,
                           const LayerSizes& sizes, Spread spread)
    : workspace_(std::move(workspace)),
      sizes_(sizes),
      rows_(contextual::kernels::RowPartition(sizes.m, workspace_->ranks()).shard(workspace_->rank())),
      input_rows_(spread == Spread::input ? rows_.count() : sizes.m),
      output_rows_(spread == Spread::output ? rows_.count() : sizes.m),
      weights_(bytes_of(sizes.n, sizes.k)),
      output_(bytes_of(output_rows_, sizes.n)) {
  weights_of(workspace_->rank()).upload(weights_.get(), 0, elements_of(sizes.n, sizes.k));
  for (std::size_t set = 0; set < sets; ++set) {
    inputs_.push_back(std::make_unique<DeviceBytes>(bytes_of(input_rows_, sizes.k)));
    expected_.push_back(std::make_unique<SummedParts>(output_rows_, sizes.n));
  }
}

RandomMatrix CheckedLayer::weights_of(int rank) const {
  return layer_matrix(1000 + rank);
}

void CheckedLayer::prepare() {
  set_ = (set_ + 1) % sets;
  stream_.poison(output_.get(), bytes_of(output_rows_, sizes_.n));
  check_cuda(cudaMemcpyAsync(input_, inputs_[set_]->get(),
                             elements_of(input_rows_, sizes_.k) * sizeof(std::uint16_t),
                             cudaMemcpyDeviceToDevice, stream_.get()),
             "a copy of the inputs");
  stream_.wait();
}

double CheckedLayer::error() {
  return expected_[set_]->error(stream_, output_.get());
}

}  // namespace examples
