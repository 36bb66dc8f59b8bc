#include "gpu/kernel_support.hpp"
#include "support/catch.hpp"

#include <contextual/kernels/cuda/rms_norm_rope.hpp>

namespace contextual::test::gpu_test::rms_norm_rope_test {

using namespace kernels::cuda;

namespace {

struct Shape {
  int tokens = 1;
  int heads = 1;
  int head_dim = 64;
  bool rotary = true;
  bool bf16 = true;
  int gap = 0;      ///< elements between a token's last head and the next token
  int offset = 0;   ///< elements by which x is behind an aligned address
  int largest = 0;  ///< position; 0: that of the token
};

/// Inputs, output and reference of one shape.
class Problem {
 public:
  explicit Problem(const Shape& shape)
      : shape_(shape),
        half_{shape.bf16},
        x_(half_.random(count(), 1)),
        weight_(half_.random(static_cast<std::size_t>(shape.head_dim), 2, 1.0F)),
        positions_(static_cast<std::size_t>(shape.tokens)),
        on_x_(x_, static_cast<std::size_t>(shape.offset)),
        on_weight_(weight_),
        on_y_(count()),
        on_positions_(positions_.size()) {
    for (std::size_t token = 0; token < positions_.size(); ++token) {
      positions_[token] = static_cast<int>(token) * 7 % (shape.tokens + 1) +
                          (shape.largest == 0 ? 0 : shape.largest - shape.tokens);
    }
    cuda_check(cudaMemcpy(on_positions_.get(), positions_.data(), positions_.size() * sizeof(int),
                          cudaMemcpyHostToDevice));
    cuda_check(cudaDeviceSynchronize());
  }

  RmsNormRopeArgs args() const {
    return {.x = on_x_.get(),
            .weight = on_weight_.get(),
            .y = on_y_.get(),
            .positions = shape_.rotary ? on_positions_.get() : nullptr,
            .tokens = shape_.tokens,
            .heads = shape_.heads,
            .head_dim = shape_.head_dim,
            .x_token_stride = stride(),
            .y_token_stride = stride(),
            .type = shape_.bf16 ? NormType::bf16 : NormType::fp16};
  }

  void poison() { on_y_.poison(); }

  /// Elements that are off by more than the arithmetic allows, and elements of gaps that were written. Looks
  /// at every `step`-th row.
  int wrong(int step = 1) const { return wrong(on_y_.host(), step); }
  int wrong_in_place(int step = 1) const { return wrong(on_x_.host(), step); }

 private:
  long long stride() const { return static_cast<long long>(shape_.heads) * shape_.head_dim + shape_.gap; }
  std::size_t count() const { return static_cast<std::size_t>(shape_.tokens * stride()); }

  struct Expected {
    double value = 0;
    double allowed = 0;  ///< by which a result may differ
  };

  int wrong(const std::vector<std::uint16_t>& result, int step) const {
    int wrong = 0;
    for (int row = 0; row < shape_.tokens * shape_.heads; row += step) {
      const std::size_t begin = begin_of(row);
      const std::vector<Expected>& expected = expected_of(row);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const double difference = std::abs(half_.value(result[begin + i]) - expected[i].value);
        wrong += difference <= expected[i].allowed ? 0 : 1;  // NaN is wrong
      }
    }
    for (int token = 0; token < shape_.tokens; ++token) {
      for (int i = 0; i < shape_.gap; ++i) {
        const auto element = static_cast<std::size_t>((token + 1) * stride() - 1 - i);
        wrong += result[element] == poison_bits || result[element] == x_[element] ? 0 : 1;
      }
    }
    return wrong;
  }

  std::size_t begin_of(int row) const {
    return static_cast<std::size_t>((row / shape_.heads) * stride() + row % shape_.heads * shape_.head_dim);
  }

  /// Computed once, as every config is compared with it.
  const std::vector<Expected>& expected_of(int row) const {
    std::vector<Expected>& expected = expected_[row];
    if (expected.empty()) {
      expected = compute(&x_[begin_of(row)], positions_[static_cast<std::size_t>(row / shape_.heads)]);
    }
    return expected;
  }

  std::vector<Expected> compute(const std::uint16_t* x, int position) const {
    const RmsNormRopeArgs used = args();
    const int half = shape_.head_dim / 2;
    double sum = 0;
    for (int i = 0; i < shape_.head_dim; ++i) {
      sum += half_.value(x[i]) * half_.value(x[i]);
    }
    const double scale = 1.0 / std::sqrt(sum / shape_.head_dim + static_cast<double>(used.eps));
    const auto normed = [&](int i) {
      return half_.value(x[i]) * scale * half_.value(weight_[static_cast<std::size_t>(i)]);
    };
    std::vector<Expected> row;
    for (int i = 0; i < shape_.head_dim; ++i) {
      double expected = normed(i);
      double length = std::abs(expected);
      double angle_error = 0;
      if (shape_.rotary) {
        const int pair = i % half;
        const double octaves = pair * std::log2(static_cast<double>(used.theta)) / half;
        const double angle = position * std::exp2(-octaves);
        expected = i < half ? normed(i) * std::cos(angle) - normed(i + half) * std::sin(angle)
                            : normed(i) * std::cos(angle) + normed(i - half) * std::sin(angle);
        length = std::hypot(normed(pair), normed(pair + half));
        // Of the frequency as a float: its exponent is rounded twice, exp2f is off by 2 steps at most.
        angle_error = (2 * std::log(2.0) * octaves + 4) * 0x1p-24 * std::abs(angle);
      }
      // One rounding, and float arithmetic in which the two terms of a rotation may cancel; fp16 has steps of
      // 2^-24 near zero.
      row.push_back(
          {expected, half_.rounding() * std::abs(expected) + (4e-6 + angle_error) * length + 0x1p-25});
    }
    return row;
  }

  Shape shape_;
  Half half_;
  std::vector<std::uint16_t> x_;
  std::vector<std::uint16_t> weight_;
  std::vector<int> positions_;
  DeviceArray<std::uint16_t> on_x_;
  DeviceArray<std::uint16_t> on_weight_;
  DeviceArray<std::uint16_t> on_y_;
  DeviceArray<int> on_positions_;
  mutable std::map<int, std::vector<Expected>> expected_;  ///< by row
};

std::string text_of(const Shape& shape) {
  return std::to_string(shape.tokens) + " x " + std::to_string(shape.heads) + " x " +
         std::to_string(shape.head_dim) + (shape.rotary ? " rotated" : "") +
         (shape.bf16 ? " bf16" : " fp16") + ", gap " + std::to_string(shape.gap) + ", offset " +
         std::to_string(shape.offset);
}

void check_every_config(const Shape& shape, int step = 1) {
  rms_norm_rope().load(0, Key{});  // compiles all configs in parallel
  const Stream stream;
  Problem problem(shape);
  for (std::size_t id = 0; id < rms_norm_rope().space().size(); ++id) {
    INFO(text_of(shape) << ", " << rms_norm_rope().space().describe(id));
    problem.poison();
    REQUIRE(rms_norm_rope().launch_config(id, stream, problem.args()) == CUDA_SUCCESS);
    REQUIRE(problem.wrong(step) == 0);
  }
}

}  // namespace

TEST_CASE("cuda_rms_norm_rope: every config is right for heads, rotated and not, in both types") {
  ONLY_IF(has_gpu());
  for (const bool bf16 : {true, false}) {
    for (const bool rotary : {true, false}) {
      for (const auto& [tokens, heads, head_dim] :
           {std::array{1, 1, 64}, std::array{1, 8, 128}, std::array{37, 8, 64}, std::array{5, 32, 128}}) {
        check_every_config(
            {.tokens = tokens, .heads = heads, .head_dim = head_dim, .rotary = rotary, .bf16 = bf16});
      }
    }
  }
}

TEST_CASE(
    "cuda_rms_norm_rope: every config is right for whole rows, odd lengths, gaps and unaligned pointers") {
  ONLY_IF(has_gpu());
  for (const int head_dim : {1, 2, 37, 1000, 4096, 14336}) {
    check_every_config({.tokens = 3, .head_dim = head_dim, .rotary = false});
  }
  check_every_config(
      {.tokens = 37, .heads = 8, .head_dim = 128, .gap = 2048});            // q or k in a row of q, k and v
  check_every_config({.tokens = 7, .heads = 3, .head_dim = 64, .gap = 4});  // 4 elements a load
  check_every_config({.tokens = 7, .heads = 3, .head_dim = 38});            // one
  check_every_config({.tokens = 5, .heads = 2, .head_dim = 128, .offset = 1});
  check_every_config({.tokens = 5, .heads = 2, .head_dim = 128, .bf16 = false, .offset = 4});
}

TEST_CASE("cuda_rms_norm_rope: angles are right at the end of a long context") {
  ONLY_IF(has_gpu());
  check_every_config({.tokens = 37, .heads = 2, .head_dim = 128, .bf16 = false, .largest = 131'071});
}

TEST_CASE("cuda_rms_norm_rope: y may be x") {
  ONLY_IF(has_gpu());
  for (std::size_t id = 0; id < rms_norm_rope().space().size(); ++id) {
    for (const Shape& shape : {Shape{.tokens = 9, .heads = 8, .head_dim = 128},
                               Shape{.tokens = 3, .head_dim = 14336, .rotary = false}}) {
      INFO(text_of(shape) << ", " << rms_norm_rope().space().describe(id));
      const Stream stream;
      Problem problem(shape);
      RmsNormRopeArgs args = problem.args();
      args.y = const_cast<void*>(args.x);
      REQUIRE(rms_norm_rope().launch_config(id, stream, args) == CUDA_SUCCESS);
      REQUIRE(problem.wrong_in_place() == 0);
    }
  }
}

TEST_CASE("cuda_rms_norm_rope: every config is right at LLaMA-3.1-8B's sizes", "[gpu][large]") {
  ONLY_IF(has_gpu());
  check_every_config({.tokens = 4096, .heads = 32, .head_dim = 128}, 97);
  check_every_config({.tokens = 4096, .heads = 8, .head_dim = 128, .bf16 = false}, 37);
  check_every_config({.tokens = 4096, .heads = 1, .head_dim = 4096, .rotary = false}, 61);
}

TEST_CASE("cuda_rms_norm_rope: what cannot be computed is refused") {
  ONLY_IF(has_gpu());
  const Stream stream;
  const Problem problem({.tokens = 2, .heads = 2, .head_dim = 64});
  RmsNormRopeArgs args = problem.args();
  args.head_dim = 63;
  CHECK_THROWS_AS(rms_norm_rope()(stream, args), InvalidArgument);
  args.head_dim = 0;
  CHECK_THROWS_AS(rms_norm_rope()(stream, args), InvalidArgument);
  args = problem.args();
  args.tokens = 0;
  CHECK_THROWS_AS(rms_norm_rope()(stream, args), CudaError);
}

}  // namespace contextual::test::gpu_test::rms_norm_rope_test
