#include "common/gathered_layer.hpp"

#include "common/reference.hpp"

#include <contextual/kernels/host/kernels.hpp>
#include <contextual/kernels/host/side_by_side.hpp>
#include <contextual/kernels/mpi/kernels.hpp>
#include <contextual/kernels/mpi/message_set.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <thread>

namespace examples {

namespace {

namespace kernels = contextual::kernels;

constexpr float eps = 1e-6F;

std::vector<float> input_of(int rank, long count) {
  return random_values(count, 1000U + static_cast<unsigned>(rank), 1.0F);
}

float over_root(long count) {
  return 1.0F / std::sqrt(static_cast<float>(count));
}

int rank_in(MPI_Comm communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  return rank;
}

int size_of(MPI_Comm communicator) {
  int size = 1;
  MPI_Comm_size(communicator, &size);
  return size;
}

void require_threads() {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_SERIALIZED) {
    throw std::runtime_error("the gather has a thread of its own: MPI must offer MPI_THREAD_SERIALIZED");
  }
}

}  // namespace

GatheredLayer::GatheredLayer(MPI_Comm communicator, const GatheredLayerShape& shape,
                             std::chrono::milliseconds budget)
    : communicator_((require_threads(), kernels::own_communicator(communicator))),
      rank_(rank_in(communicator)),
      ranks_(size_of(communicator)),
      rows_(ranks_ * shape.rows),
      width_(shape.width),
      hidden_(shape.hidden),
      budget_(budget),
      shard_(input_of(rank_, shape.rows * width_)),
      gathered_(static_cast<std::size_t>(rows_ * width_)),
      arrived_(rows_),
      w_up_(random_values(width_ * 2 * hidden_, 3000 + rank_, over_root(width_))),
      norm_weight_(random_values(2 * hidden_, 4000 + rank_, 0.1F, 1.0F)),
      w_down_(random_values(hidden_ * width_, 5000 + rank_, over_root(hidden_))),
      gate_up_(static_cast<std::size_t>(rows_ * 2 * hidden_)),
      activation_(static_cast<std::size_t>(rows_ * hidden_)),
      residual_(random_values(rows_ * width_, 2000 + rank_, 1.0F)),
      y_(residual_) {
  compute_reference();
}

GatheredLayer::~GatheredLayer() {
  MPI_Comm_free(&communicator_);
}

void GatheredLayer::reset() {
  std::copy(residual_.begin(), residual_.end(), y_.begin());
  for (std::vector<float>* written : {&gathered_, &gate_up_, &activation_}) {
    std::fill(written->begin(), written->end(), std::numeric_limits<float>::quiet_NaN());
  }
  arrived_.reset();
}

float GatheredLayer::run(std::chrono::microseconds delay) {
  if (delay.count() > 0) {
    std::this_thread::sleep_for(delay);
  }
  kernels::side_by_side(
      arrived_, [this] { gather(); }, [this] { multiply(); });
  kernels::rms_norm()({gate_up_.data(), norm_weight_.data(), gate_up_.data(), rows_, 2 * hidden_, 2 * hidden_,
                       2 * hidden_, eps});
  kernels::gated_activation()({gate_up_.data(), gate_up_.data() + hidden_, activation_.data(), rows_, hidden_,
                               2 * hidden_, 2 * hidden_, hidden_});
  // The residual connection: accumulates into y, in place.
  kernels::gemm()(
      {activation_.data(), w_down_.data(), y_.data(), rows_, width_, hidden_, hidden_, width_, width_, true});
  return y_.front();
}

void GatheredLayer::gather() {
  kernels::all_gather()({.communicator = communicator_,
                         .shard = shard_.data(),
                         .full = gathered_.data(),
                         .rows = rows_ / ranks_,
                         .cols = width_,
                         .flags = &arrived_,
                         .budget = budget_});
}

void GatheredLayer::multiply() {
  kernels::flagged_gemm()({.gemm = {gathered_.data(), w_up_.data(), gate_up_.data(), rows_, 2 * hidden_,
                                    width_, width_, 2 * hidden_, 2 * hidden_, false},
                           .shards = ranks_,
                           .own_shard = rank_,
                           .waits_for = &arrived_,
                           .budget = budget_});
}

double GatheredLayer::error() const {
  return relative_error(y_, reference_);
}

void GatheredLayer::compute_reference() {
  const auto rows = static_cast<std::size_t>(rows_);
  const auto hidden = static_cast<std::size_t>(hidden_);
  std::vector<double> input;
  for (int rank = 0; rank < ranks_; ++rank) {
    const std::vector<float> shard = input_of(rank, rows_ / ranks_ * width_);
    input.insert(input.end(), shard.begin(), shard.end());
  }
  std::vector<double> gate_up(rows * 2 * hidden);
  multiply_add(input, w_up_, gate_up, 2 * hidden_);
  std::vector<double> activation(rows * hidden);
  for (std::size_t i = 0; i < rows; ++i) {
    double* const row = gate_up.data() + i * 2 * hidden;
    double squares = 0;
    for (std::size_t j = 0; j < 2 * hidden; ++j) {
      squares += row[j] * row[j];
    }
    const double scale =
        1.0 / std::sqrt(squares / static_cast<double>(2 * hidden) + static_cast<double>(eps));
    for (std::size_t j = 0; j < hidden; ++j) {
      const double gate = row[j] * scale * static_cast<double>(norm_weight_[j]);
      const double up = row[hidden + j] * scale * static_cast<double>(norm_weight_[hidden + j]);
      activation[i * hidden + j] = gate / (1.0 + std::exp(-gate)) * up;
    }
  }
  reference_.assign(residual_.begin(), residual_.end());
  multiply_add(activation, w_down_, reference_, width_);
}

}  // namespace examples
