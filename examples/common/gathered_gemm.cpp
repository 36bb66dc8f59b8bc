#include "common/gathered_gemm.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace examples {
namespace {

namespace cuda = contextual::kernels::cuda;

constexpr int sets = 2;

std::size_t product(int a, int b) {
  return static_cast<std::size_t>(a) * static_cast<std::size_t>(b);
}

/// Its elements are within 0.1, as the bound of SummedParts wants them.
RandomMatrix matrix(int number, const cuda::AllGatherGemmShape& shape) {
  return {.number = static_cast<std::uint64_t>(number), .type = shape.type, .scale = 0.2F};
}

}  // namespace

GatheredGemm::GatheredGemm(std::shared_ptr<contextual::Communicator> communicator,
                           const cuda::AllGatherGemmShape& shape)
    : shape_(shape),
      workspace_(std::make_shared<cuda::PeerWorkspace>(std::move(communicator),
                                                       cuda::AllGatherGemm::workspace_bytes(shape))),
      layer_(workspace_, shape),
      weights_(bytes_of(shape.n, shape.k)),
      output_(bytes_of(shape.m, shape.n)) {
  const contextual::kernels::Rows own = layer_.own_rows();
  matrix(1000 + workspace_->rank(), shape).upload(weights_.get(), 0, product(shape.n, shape.k));
  const DeviceBytes all_rows(bytes_of(shape.m, shape.k));
  for (int set = 0; set < sets; ++set) {
    const RandomMatrix input = matrix(set, shape);
    rows_.push_back(std::make_unique<DeviceBytes>(bytes_of(own.count(), shape.k)));
    input.upload(rows_.back()->get(), product(own.begin, shape.k), product(own.count(), shape.k));
    input.upload(all_rows.get(), 0, product(shape.m, shape.k));
    expected_.push_back(std::make_unique<SummedParts>(shape.m, shape.n, shape.type));
    expected_.back()->add(all_rows.get(), weights_.get(), shape.k);
  }
}

void GatheredGemm::prepare() {
  set_ = (set_ + 1) % sets;
  stream_.poison(output_.get(), bytes_of(shape_.m, shape_.n));
  wait();
}

void GatheredGemm::run() {
  layer_(stream_.get(), {.a_rows = rows_[static_cast<std::size_t>(set_)]->get()},
         {.b = weights_.get(), .c = output_.get()});
}

double GatheredGemm::error() {
  return expected_[static_cast<std::size_t>(set_)]->error(stream_, output_.get());
}

ErrorMeasure GatheredGemm::measure() const {
  return {.name = "error over its bound", .allowed = 1};
}

}  // namespace examples
