#include "common/llama_layer.hpp"

#include <contextual/kernels/cuda/half_bits.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace examples {
namespace {

namespace cuda = contextual::kernels::cuda;

constexpr int sampled_rows = 2;
constexpr int sampled_columns = 16;

// Weights are scaled so that what flows through the layer keeps its size.
const RandomMatrix input_matrix{.number = 1, .scale = 2};

/// The same of every rank, for each of the products.
enum class Weights : std::uint64_t { qkv = 100, out = 200, up = 300, down = 400 };
RandomMatrix matrix(Weights weights, int rank) {
  return {.number = static_cast<std::uint64_t>(weights) + static_cast<std::uint64_t>(rank), .scale = 0.1F};
}

/// Of a vector and consecutive elements of a matrix.
double dot(const std::vector<double>& vector, const RandomMatrix& matrix, std::size_t first) {
  double sum = 0;
  for (std::size_t i = 0; i < vector.size(); ++i) {
    sum += vector[i] * matrix.value(first + i);
  }
  return sum;
}

std::size_t workspace_bytes(const cuda::AllGatherGemmShape& qkv, const cuda::GemmReduceScatterShape& out,
                            const cuda::AllGatherMoeShape& up, const cuda::MoeReduceScatterShape& down,
                            int ranks) {
  const std::size_t attention = std::max(cuda::AllGatherGemm::workspace_bytes(qkv),
                                         cuda::GemmReduceScatter::workspace_bytes(out, ranks));
  if (down.experts == 0) {
    return std::max(
        {attention, cuda::AllGatherGemm::workspace_bytes({.m = up.m, .n = up.n, .k = up.k}),
         cuda::GemmReduceScatter::workspace_bytes({.m = down.m, .n = down.n, .k = down.k}, ranks)});
  }
  return std::max({attention, cuda::AllGatherMoe::workspace_bytes(up),
                   cuda::MoeReduceScatter::workspace_bytes(down, ranks)});
}

template <typename T>
void upload(const std::vector<T>& values, const DeviceBytes& to) {
  check_cuda(cudaMemcpy(to.get(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice),
             "an upload");
}

}  // namespace

LlamaLayer::LlamaLayer(const std::shared_ptr<contextual::Communicator>& communicator, const LlamaShape& shape)
    : shape_(shape),
      ranks_(communicator->size()),
      weights_(std::max(shape.experts, 1)),
      qkv_shape_{.m = shape.tokens, .n = (shape.q + 2 * shape.kv) / ranks_, .k = shape.hidden},
      out_shape_{.m = shape.tokens, .n = shape.hidden, .k = shape.q / ranks_},
      up_shape_{.m = shape.tokens,
                .n = shape.inner / ranks_,
                .k = shape.hidden,
                .experts = shape.experts,
                .top_k = shape.top_k},
      down_shape_{.m = shape.tokens,
                  .n = shape.hidden,
                  .k = shape.inner / ranks_,
                  .experts = shape.experts,
                  .top_k = shape.top_k},
      workspace_(std::make_shared<cuda::PeerWorkspace>(
          communicator, workspace_bytes(qkv_shape_, out_shape_, up_shape_, down_shape_, ranks_))),
      qkv_(workspace_, qkv_shape_),
      out_(workspace_, out_shape_),
      routing_(shape.tokens, shape.top_k, weights_, {workspace_->rank(), ranks_}),
      rows_(qkv_.own_rows()),
      input_(bytes_of(rows_.count(), shape.hidden)),
      qkv_weights_(bytes_of(qkv_shape_.n, qkv_shape_.k)),
      out_weights_(bytes_of(out_shape_.n, out_shape_.k)),
      up_weights_(bytes_of(weights_ * 2 * up_shape_.n, up_shape_.k)),
      down_weights_(bytes_of(weights_ * down_shape_.n, down_shape_.k)),
      ids_(elements_of(rows_.count(), shape.top_k) * sizeof(int)),
      factors_(elements_of(rows_.count(), shape.top_k) * sizeof(float)),
      qkv_output_(bytes_of(shape.tokens, qkv_shape_.n)),
      hidden_(bytes_of(rows_.count(), shape.hidden)),
      inner_(bytes_of(shape.tokens * (is_dense() ? 1 : shape.top_k), up_shape_.n)),
      output_(bytes_of(rows_.count(), shape.hidden)) {
  if (is_dense()) {
    up_ = std::make_unique<cuda::AllGatherGemm>(
        workspace_, cuda::AllGatherGemmShape{.m = shape.tokens, .n = up_shape_.n, .k = up_shape_.k});
    down_ = std::make_unique<cuda::GemmReduceScatter>(
        workspace_, cuda::GemmReduceScatterShape{.m = shape.tokens, .n = down_shape_.n, .k = down_shape_.k});
  } else {
    up_of_experts_ = std::make_unique<cuda::AllGatherMoe>(workspace_, up_shape_);
    down_of_experts_ = std::make_unique<cuda::MoeReduceScatter>(workspace_, down_shape_);
    upload_routing();
  }
  const int rank = workspace_->rank();
  input_matrix.upload(input_.get(), elements_of(rows_.begin, shape.hidden),
                      elements_of(rows_.count(), shape.hidden));
  matrix(Weights::qkv, rank).upload(qkv_weights_.get(), 0, elements_of(qkv_shape_.n, qkv_shape_.k));
  matrix(Weights::out, rank).upload(out_weights_.get(), 0, elements_of(out_shape_.n, out_shape_.k));
  matrix(Weights::up, rank)
      .upload(up_weights_.get(), 0, elements_of(weights_ * 2 * up_shape_.n, up_shape_.k));
  matrix(Weights::down, rank)
      .upload(down_weights_.get(), 0, elements_of(weights_ * down_shape_.n, down_shape_.k));
  for (int i = 0; i < std::min(sampled_rows, rows_.count()); ++i) {
    add_samples(i * (rows_.count() - 1));
  }
}

/// Different experts, which stand for what a router would choose.
LlamaLayer::Choice LlamaLayer::choice_of(int token) const {
  if (is_dense()) {
    return {{0, 1.0F}};
  }
  const RandomMatrix random{.number = 2};
  const auto first = static_cast<int>(std::abs(random.value(static_cast<std::size_t>(token))) * 1e6);
  Choice choice;
  for (int place = 0; place < shape_.top_k; ++place) {
    choice.emplace_back((first + place * (1 + first % 3)) % shape_.experts,
                        1.0F / static_cast<float>(place + 2));
  }
  return choice;
}

/// Of own rows.
void LlamaLayer::upload_routing() {
  std::vector<int> ids;
  std::vector<float> factors;
  for (int token = rows_.begin; token < rows_.end; ++token) {
    for (const auto& [expert, factor] : choice_of(token)) {
      ids.push_back(expert);
      factors.push_back(factor);
    }
  }
  upload(ids, ids_);
  upload(factors, factors_);
}

/// The row behind the first pair of products.
std::vector<double> LlamaLayer::hidden_row(int token) const {
  std::vector<double> x(static_cast<std::size_t>(shape_.hidden));
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = input_matrix.value(elements_of(token, shape_.hidden) + i);
  }
  std::vector<double> hidden = x;
  for (int rank = 0; rank < ranks_; ++rank) {
    std::vector<double> q(static_cast<std::size_t>(out_shape_.k));
    for (int column = 0; column < out_shape_.k; ++column) {
      q[static_cast<std::size_t>(column)] =
          dot(x, matrix(Weights::qkv, rank), elements_of(column, shape_.hidden));
    }
    for (int column = 0; column < shape_.hidden; ++column) {
      hidden[static_cast<std::size_t>(column)] +=
          dot(q, matrix(Weights::out, rank), elements_of(column, out_shape_.k));
    }
  }
  return hidden;
}

/// `row`: of the own ones.
void LlamaLayer::add_samples(int row) {
  const int token = rows_.begin + row;
  const std::vector<double> hidden = hidden_row(token);
  std::vector<Sample> samples;
  for (int i = 0; i < sampled_columns; ++i) {
    const int column = i * (shape_.hidden - 1) / (sampled_columns - 1);
    samples.push_back({row, column, is_dense() ? hidden[static_cast<std::size_t>(column)] : 0});
  }
  for (const auto& [expert, factor] : choice_of(token)) {
    for (int rank = 0; rank < ranks_; ++rank) {
      const int first = expert * 2 * up_shape_.n;  // row of the weights
      std::vector<double> inner(static_cast<std::size_t>(up_shape_.n));
      for (int column = 0; column < up_shape_.n; ++column) {
        const auto product = [&](int weight_row) {
          return dot(hidden, matrix(Weights::up, rank), elements_of(weight_row, shape_.hidden));
        };
        const double gate = product(first + column);
        inner[static_cast<std::size_t>(column)] =
            gate / (1 + std::exp(-gate)) * product(first + up_shape_.n + column);
      }
      for (Sample& sample : samples) {
        sample.expected += factor * dot(inner, matrix(Weights::down, rank),
                                        elements_of(expert * shape_.hidden + sample.column, up_shape_.n));
      }
    }
  }
  samples_.insert(samples_.end(), samples.begin(), samples.end());
}

void LlamaLayer::poison() {
  stream_.poison(output_.get(), bytes_of(rows_.count(), shape_.hidden));
  wait();
}

void LlamaLayer::run() {
  project_qkv();
  project_out();
  feed_up();
  feed_down();
}

void LlamaLayer::project_qkv() {
  qkv_(stream_.get(), {.a_rows = input_.get()}, {.b = qkv_weights_.get(), .c = qkv_output_.get()});
}

void LlamaLayer::project_out() {
  out_(stream_.get(), {.a = qkv_output_.get(),
                       .b = out_weights_.get(),
                       .c_rows = hidden_.get(),
                       .residual = input_.get(),
                       .a_pitch = qkv_shape_.n});
}

void LlamaLayer::feed_up() {
  if (is_dense()) {
    (*up_)(stream_.get(), {.a_rows = hidden_.get()},
           {.b = up_weights_.get(), .c = inner_.get(), .activation = cuda::Activation::silu, .gated = true});
    return;
  }
  routing_.prepare(stream_.get(), *workspace_, static_cast<const int*>(ids_.get()),
                   static_cast<const float*>(factors_.get()));
  (*up_of_experts_)(stream_.get(), {.a_rows = hidden_.get()},
                    {.routing = &routing_,
                     .weights = up_weights_.get(),
                     .c = inner_.get(),
                     .gated = true,
                     .activation = cuda::Activation::silu});
}

void LlamaLayer::feed_down() {
  if (is_dense()) {
    (*down_)(
        stream_.get(),
        {.a = inner_.get(), .b = down_weights_.get(), .c_rows = output_.get(), .residual = hidden_.get()});
    return;
  }
  (*down_of_experts_)(stream_.get(), {.routing = &routing_,
                                      .topk_weights = routing_.topk_weights(),
                                      .a = inner_.get(),
                                      .weights = down_weights_.get(),
                                      .c_rows = output_.get()});
}

double LlamaLayer::error() const {
  wait();
  std::vector<std::uint16_t> output(elements_of(std::max(rows_.count(), 1), shape_.hidden));
  check_cuda(
      cudaMemcpy(output.data(), output_.get(), output.size() * sizeof(std::uint16_t), cudaMemcpyDeviceToHost),
      "a download");
  double largest = 0;
  double worst = 0;
  for (const Sample& sample : samples_) {
    const std::size_t at = elements_of(sample.row, shape_.hidden) + static_cast<std::size_t>(sample.column);
    const double difference = std::abs(cuda::from_bf16(output[at]) - sample.expected);
    worst = std::isnan(difference) ? std::numeric_limits<double>::infinity() : std::max(worst, difference);
    largest = std::max(largest, std::abs(sample.expected));
  }
  return samples_.empty() ? 0 : worst / largest;
}

}  // namespace examples
