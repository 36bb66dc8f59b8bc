#include "common/reduced_gemm.hpp"

#include <cstdint>

namespace examples {
namespace {

namespace cuda = contextual::kernels::cuda;

constexpr int sets = 2;
constexpr float scale = 0.2F;  // elements within 0.1, as the bound of SummedParts wants them

std::size_t product(int a, int b) {
  return static_cast<std::size_t>(a) * static_cast<std::size_t>(b);
}

}  // namespace

RandomMatrix ReducedGemm::input(int set, int rank) const {
  return {.number = static_cast<std::uint64_t>(100 * set + rank), .type = shape_.type, .scale = scale};
}

RandomMatrix ReducedGemm::weights(int rank) const {
  return {.number = 1000U + static_cast<std::uint64_t>(rank), .type = shape_.type, .scale = scale};
}

ReducedGemm::ReducedGemm(const std::shared_ptr<contextual::Communicator>& communicator,
                         const cuda::GemmReduceScatterShape& shape)
    : shape_(shape),
      workspace_(std::make_shared<cuda::PeerWorkspace>(
          communicator, cuda::GemmReduceScatter::workspace_bytes(shape, communicator->size()))),
      layer_(workspace_, shape),
      rows_(layer_.own_rows()),
      weights_on_device_(bytes_of(shape.n, shape.k)),
      output_(bytes_of(rows_.count(), shape.n)) {
  const int rank = workspace_->rank();
  weights(rank).upload(weights_on_device_.get(), 0, product(shape.n, shape.k));
  for (int set = 0; set < sets; ++set) {
    inputs_.push_back(std::make_unique<DeviceBytes>(bytes_of(shape.m, shape.k)));
    input(set, rank).upload(inputs_.back()->get(), 0, product(shape.m, shape.k));
    expected_.push_back(std::make_unique<SummedParts>(rows_.count(), shape.n, shape.type));
  }
  add_parts();
}

void ReducedGemm::add_parts() {
  const DeviceBytes a_rows(bytes_of(rows_.count(), shape_.k));
  const DeviceBytes b(bytes_of(shape_.n, shape_.k));
  for (int rank = 0; rank < workspace_->ranks(); ++rank) {
    weights(rank).upload(b.get(), 0, product(shape_.n, shape_.k));
    for (int set = 0; set < sets; ++set) {
      input(set, rank).upload(a_rows.get(), product(rows_.begin, shape_.k), product(rows_.count(), shape_.k));
      expected_[static_cast<std::size_t>(set)]->add(a_rows.get(), b.get(), shape_.k);
    }
  }
}

void ReducedGemm::prepare() {
  set_ = (set_ + 1) % sets;
  stream_.poison(output_.get(), bytes_of(rows_.count(), shape_.n));
  wait();
}

void ReducedGemm::run() {
  layer_(stream_.get(), {.a = inputs_[static_cast<std::size_t>(set_)]->get(),
                         .b = weights_on_device_.get(),
                         .c_rows = output_.get()});
}

double ReducedGemm::error() {
  return expected_[static_cast<std::size_t>(set_)]->error(stream_, output_.get());
}

ErrorMeasure ReducedGemm::measure() const {
  return {.name = "error over its bound", .allowed = 1};
}

}  // namespace examples
