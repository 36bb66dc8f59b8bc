#include "common/gathered_gemm.hpp"

#include <utility>

namespace examples {
namespace {

namespace cuda = contextual::kernels::cuda;

cuda::AllGatherGemmShape gather_shape(const LayerSizes& sizes) {
  return {.m = sizes.m, .n = sizes.n, .k = sizes.k};
}

}  // namespace

GatheredGemm::GatheredGemm(std::shared_ptr<contextual::Communicator> communicator, const LayerSizes& sizes)
    : CheckedLayer(std::make_shared<cuda::PeerWorkspace>(
                       std::move(communicator), cuda::AllGatherGemm::workspace_bytes(gather_shape(sizes))),
                   sizes, Spread::input),
      layer_(workspace_, gather_shape(sizes)) {
  const DeviceBytes all_rows(bytes_of(sizes.m, sizes.k));
  for (std::size_t set = 0; set < sets; ++set) {
    const RandomMatrix rows = layer_matrix(static_cast<int>(set));
    rows.upload(inputs_[set]->get(), elements_of(rows_.begin, sizes.k), elements_of(rows_.count(), sizes.k));
    rows.upload(all_rows.get(), 0, elements_of(sizes.m, sizes.k));
    expected_[set]->add(all_rows.get(), weights_.get(), sizes.k);
  }
  input_ = layer_.input();
  prepare();
}

void GatheredGemm::run() {
  layer_(stream_.get(), {.a_rows = layer_.input()}, {.b = weights_.get(), .c = output_.get()});
}

cuda::GemmArgs GatheredGemm::product() const {
  return {.a = layer_.gathered(),
          .b = weights_.get(),
          .c = output_.get(),
          .m = sizes_.m,
          .n = sizes_.n,
          .k = sizes_.k};
}

}  // namespace examples
