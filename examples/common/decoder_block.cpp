#include "common/decoder_block.hpp"

#include "common/decoder_block_reference.hpp"
#include "common/gated_activation_cuda.hpp"

#include <contextual/kernels/cuda/gemm_implementations.hpp>
#include <contextual/kernels/cuda/half_bits.hpp>
#include <contextual/kernels/cuda/rms_norm_rope.hpp>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>

namespace examples {

namespace cuda = contextual::kernels::cuda;

namespace {

void check(cudaError_t code) {
  if (code != cudaSuccess) {
    throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(code));
  }
}

template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count) : count_(count) {
    check(cudaMalloc(reinterpret_cast<void**>(&memory_), bytes()));
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    check(cudaMemcpy(memory_, values.data(), bytes(), cudaMemcpyHostToDevice));
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(memory_); }

  T* get() const noexcept { return memory_; }
  std::size_t count() const noexcept { return count_; }
  void poison() { check(cudaMemset(memory_, 0xff, bytes())); }

 private:
  std::size_t bytes() const noexcept { return count_ * sizeof(T); }

  std::size_t count_;
  T* memory_ = nullptr;
};

using Bf16Array = DeviceArray<std::uint16_t>;

std::size_t product_of(int rows, int columns) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
}

/// Evenly distributed around `mean`; every element is a function of seed and index (splitmix64).
Bf16Values random_bf16(std::size_t count, std::uint64_t seed, double deviation, float mean = 0.0F) {
  const auto scale = static_cast<float>(deviation * std::sqrt(3.0) * 0x1p-31);
  Bf16Values values(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t z = (seed << 40U) + (i + 1) * 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    values[i] = cuda::to_bf16(static_cast<float>(static_cast<std::int32_t>(z >> 32U)) * scale + mean);
  }
  return values;
}

DecoderWeights random_weights(const DecoderShape& shape) {
  const auto matrix = [](int outputs, int inputs, std::uint64_t seed) {
    return random_bf16(product_of(outputs, inputs), seed, 1.0 / std::sqrt(inputs));
  };
  const int q = shape.heads * shape.head_dim;
  return {.norm = random_bf16(static_cast<std::size_t>(shape.hidden), 1, 0.1, 1.0F),
          .norm_head = random_bf16(static_cast<std::size_t>(shape.head_dim), 2, 0.1, 1.0F),
          .qkv = matrix(q + 2 * shape.kv_heads * shape.head_dim, shape.hidden, 3),
          .output = matrix(shape.hidden, q, 4),
          .gate_up = matrix(2 * shape.feed_forward, shape.hidden, 5),
          .down = matrix(shape.hidden, shape.feed_forward, 6)};
}

std::vector<int> sampled_rows(int tokens) {
  const std::set<int> rows{0, tokens / 3, tokens * 5 / 7, tokens - 1};
  return {rows.begin(), rows.end()};
}

/// ||result - reference|| / ||reference||.
double relative_error(const Bf16Values& result, const std::vector<double>& reference) {
  double difference = 0;
  double length = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const double off = static_cast<double>(cuda::from_bf16(result[i])) - reference[i];
    difference += off * off;
    length += reference[i] * reference[i];
  }
  const double error = std::sqrt(difference / length);
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

}  // namespace

struct DecoderBlock::Impl {
  explicit Impl(const DecoderShape& s) : Impl(s, random_weights(s)) {}
  Impl(const DecoderShape& s, const DecoderWeights& weights)
      : shape(s),
        norm(weights.norm),
        norm_head(weights.norm_head),
        w_qkv(weights.qkv),
        w_output(weights.output),
        w_gate_up(weights.gate_up),
        w_down(weights.down) {
    const Bf16Values host_x0 = random_bf16(product_of(s.tokens, s.hidden), 7, 1.0);
    const Bf16Values host_x1 = random_bf16(product_of(s.tokens, s.hidden), 8, 1.0);
    const std::size_t bytes = host_x0.size() * sizeof(std::uint16_t);
    check(cudaMemcpy(x0.get(), host_x0.data(), bytes, cudaMemcpyHostToDevice));
    check(cudaMemcpy(x1.get(), host_x1.data(), bytes, cudaMemcpyHostToDevice));
    std::vector<int> host_positions(static_cast<std::size_t>(s.tokens));
    std::iota(host_positions.begin(), host_positions.end(), 0);
    check(cudaMemcpy(positions.get(), host_positions.data(), host_positions.size() * sizeof(int),
                     cudaMemcpyHostToDevice));
    for (const int row : rows) {
      const std::size_t begin = product_of(row, s.hidden);
      references.push_back(decoder_row(s, weights, &host_x0[begin], &host_x1[begin], row));
    }
    check(cudaDeviceSynchronize());  // copies may go on after their calls, and these streams do not wait for
                                     // them
    check(cudaStreamCreateWithFlags(&stream_a, cudaStreamNonBlocking));
    check(cudaStreamCreateWithFlags(&stream_b, cudaStreamNonBlocking));
    check(cudaEventCreateWithFlags(&begun, cudaEventDisableTiming));
    check(cudaEventCreateWithFlags(&b_is_done, cudaEventDisableTiming));
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    cudaEventDestroy(b_is_done);
    cudaEventDestroy(begun);
    cudaStreamDestroy(stream_b);
    cudaStreamDestroy(stream_a);
  }

  void multiply(cudaStream_t stream, const Bf16Array& a, const Bf16Array& weight, const Bf16Array& c, int n,
                int k) const {
    cuda::GemmArgs args{};
    args.a = a.get();
    args.b = weight.get();
    args.c = c.get();
    args.m = shape.tokens;
    args.n = n;
    args.k = k;
    cuda::gemm_implementations(stream, args);
  }

  void normalise(cudaStream_t stream, const Bf16Array& x, const Bf16Array& y) const {
    cuda::rms_norm_rope()(stream, {.x = x.get(),
                                   .weight = norm.get(),
                                   .y = y.get(),
                                   .tokens = shape.tokens,
                                   .head_dim = shape.hidden,
                                   .eps = static_cast<float>(decoder_eps)});
  }

  /// Heads of a row of q, k and v, normalised and rotated, to rows of their own.
  void rotate(int first_head, int heads, const Bf16Array& y) const {
    cuda::rms_norm_rope()(stream_a, {.x = qkv.get() + first_head * shape.head_dim,
                                     .weight = norm_head.get(),
                                     .y = y.get(),
                                     .positions = positions.get(),
                                     .tokens = shape.tokens,
                                     .heads = heads,
                                     .head_dim = shape.head_dim,
                                     .x_token_stride = width_qkv,
                                     .eps = static_cast<float>(decoder_eps),
                                     .theta = static_cast<float>(decoder_theta)});
  }

  void run_attention_side() const {
    normalise(stream_a, x0, normed_a);
    multiply(stream_a, normed_a, w_qkv, qkv, width_qkv, shape.hidden);
    rotate(0, shape.heads, q);
    rotate(shape.heads, shape.kv_heads, k);
    multiply(stream_a, q, w_output, output, shape.hidden, width_q);
  }

  void run_feed_forward_side() const {
    normalise(stream_b, x1, normed_b);
    multiply(stream_b, normed_b, w_gate_up, gate_up, 2 * shape.feed_forward, shape.hidden);
    gated_activation()(stream_b, activation.get(), gate_up.get(), shape.tokens, shape.feed_forward);
    multiply(stream_b, activation, w_down, down, shape.hidden, shape.feed_forward);
  }

  /// One row's part of an output.
  double error_of(const Bf16Array& array, int row, int width, int first,
                  const std::vector<double>& reference) const {
    Bf16Values result(reference.size());
    check(cudaMemcpy(result.data(), array.get() + product_of(row, width) + first,
                     result.size() * sizeof(std::uint16_t), cudaMemcpyDeviceToHost));
    return relative_error(result, reference);
  }

  DecoderShape shape;
  int width_q = shape.heads * shape.head_dim;
  int width_k = shape.kv_heads * shape.head_dim;
  int width_qkv = width_q + 2 * width_k;
  std::vector<int> rows = sampled_rows(shape.tokens);
  std::vector<DecoderRow> references;  ///< of these rows

  Bf16Array norm;
  Bf16Array norm_head;
  Bf16Array w_qkv;
  Bf16Array w_output;
  Bf16Array w_gate_up;
  Bf16Array w_down;
  Bf16Array x0{product_of(shape.tokens, shape.hidden)};
  Bf16Array x1{product_of(shape.tokens, shape.hidden)};
  DeviceArray<int> positions{static_cast<std::size_t>(shape.tokens)};
  Bf16Array normed_a{product_of(shape.tokens, shape.hidden)};
  Bf16Array qkv{product_of(shape.tokens, width_qkv)};
  Bf16Array q{product_of(shape.tokens, width_q)};
  Bf16Array k{product_of(shape.tokens, width_k)};
  Bf16Array output{product_of(shape.tokens, shape.hidden)};
  Bf16Array normed_b{product_of(shape.tokens, shape.hidden)};
  Bf16Array gate_up{product_of(shape.tokens, 2 * shape.feed_forward)};
  Bf16Array activation{product_of(shape.tokens, shape.feed_forward)};
  Bf16Array down{product_of(shape.tokens, shape.hidden)};
  cudaStream_t stream_a = nullptr;
  cudaStream_t stream_b = nullptr;
  cudaEvent_t begun = nullptr;
  cudaEvent_t b_is_done = nullptr;
};

DecoderBlock::DecoderBlock(const DecoderShape& shape) : impl_(std::make_unique<Impl>(shape)) {}

DecoderBlock::~DecoderBlock() = default;

std::vector<contextual::Output> DecoderBlock::outputs() const {
  const auto bf16 = [](const char* name, const Bf16Array& array) {
    return contextual::Output{name, array.get(), array.count(), contextual::ElementType::bf16};
  };
  return {bf16("q", impl_->q), bf16("k", impl_->k), bf16("o", impl_->output), bf16("down", impl_->down)};
}

void DecoderBlock::poison() {
  Impl& block = *impl_;
  for (Bf16Array* array : {&block.normed_a, &block.qkv, &block.q, &block.k, &block.output, &block.normed_b,
                           &block.gate_up, &block.activation, &block.down}) {
    array->poison();
  }
  check(cudaDeviceSynchronize());
}

void DecoderBlock::run() {
  const Impl& block = *impl_;
  check(cudaEventRecord(block.begun, block.stream_a));
  check(cudaStreamWaitEvent(block.stream_b, block.begun));
  block.run_feed_forward_side();
  check(cudaEventRecord(block.b_is_done, block.stream_b));
  block.run_attention_side();
  check(cudaStreamWaitEvent(block.stream_a, block.b_is_done));
}

void DecoderBlock::wait() {
  check(cudaStreamSynchronize(impl_->stream_a));
}

double DecoderBlock::error() {
  wait();
  const Impl& block = *impl_;
  double worst = 0;
  for (std::size_t i = 0; i < block.rows.size(); ++i) {
    const int row = block.rows[i];
    const DecoderRow& reference = block.references[i];
    const int before_v = block.width_q + block.width_k;
    worst =
        std::max({worst, block.error_of(block.q, row, block.width_q, 0, reference.q),
                  block.error_of(block.k, row, block.width_k, 0, reference.k),
                  block.error_of(block.qkv, row, block.width_qkv, before_v, reference.v),
                  block.error_of(block.output, row, block.shape.hidden, 0, reference.output),
                  block.error_of(block.activation, row, block.shape.feed_forward, 0, reference.activation),
                  block.error_of(block.down, row, block.shape.hidden, 0, reference.down)});
  }
  return worst;
}

}  // namespace examples
