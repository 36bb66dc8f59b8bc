#include "common/reduced_gemm.hpp"

#include <algorithm>
#include <bit>

namespace examples {
namespace {

namespace cuda = contextual::kernels::cuda;

cuda::GemmReduceScatterShape scatter_shape(const LayerSizes& sizes) {
  return {.m = sizes.m, .n = sizes.n, .k = sizes.k};
}

RandomMatrix input_of(std::size_t set, int rank) {
  return layer_matrix(100 * static_cast<int>(set) + rank);
}

}  // namespace

ReducedGemm::ReducedGemm(const std::shared_ptr<contextual::Communicator>& communicator,
                         const LayerSizes& sizes)
    : CheckedLayer(std::make_shared<cuda::PeerWorkspace>(
                       communicator,
                       cuda::GemmReduceScatter::workspace_bytes(scatter_shape(sizes), communicator->size())),
                   sizes, Spread::output),
      layer_(workspace_, scatter_shape(sizes)) {
  for (std::size_t set = 0; set < sets; ++set) {
    input_of(set, workspace_->rank()).upload(inputs_[set]->get(), 0, elements_of(sizes.m, sizes.k));
  }
  add_parts();
  inputs_.push_back(
      std::make_unique<DeviceBytes>(bytes_of(input_rows_, sizes.k)));  // of no set: a graph knows one address
  input_ = inputs_.back()->get();
  prepare();
}

void ReducedGemm::add_parts() {
  // Of "split"; other ways do not split k.
  const auto most_splits =
      static_cast<int>(std::bit_floor(static_cast<unsigned>(std::clamp(1024 / sizes_.m, 1, 8))));
  const DeviceBytes a_rows(bytes_of(rows_.count(), sizes_.k));
  const DeviceBytes b(bytes_of(sizes_.n, sizes_.k));
  for (int rank = 0; rank < workspace_->ranks(); ++rank) {
    weights_of(rank).upload(b.get(), 0, elements_of(sizes_.n, sizes_.k));
    for (std::size_t set = 0; set < sets; ++set) {
      input_of(set, rank).upload(a_rows.get(), elements_of(rows_.begin, sizes_.k),
                                 elements_of(rows_.count(), sizes_.k));
      expected_[set]->add(a_rows.get(), b.get(), sizes_.k, most_splits);
    }
  }
}

void ReducedGemm::run() {
  layer_(stream_.get(), {.a = input_, .b = weights_.get(), .c_rows = output_.get()});
}

cuda::GemmArgs ReducedGemm::product() const {
  return {.a = input_, .b = weights_.get(), .c = nullptr, .m = sizes_.m, .n = sizes_.n, .k = sizes_.k};
}

}  // namespace examples
