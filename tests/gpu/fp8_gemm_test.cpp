// The GEMM of 8-bit values, with scales.

#include "gpu/epilogue_reference.hpp"
#include "gpu/fp8_scales.hpp"
#include "gpu/kernel_support.hpp"
#include "support/catch.hpp"

#include <contextual/error.hpp>
#include <contextual/kernels/cuda/fp8_gemm.hpp>

#include <cuda_fp8.h>

namespace contextual::test::gpu_test::fp8_gemm_test {

namespace {

using namespace kernels::cuda;

constexpr Fp8Accumulation accumulations[] = {Fp8Accumulation::fast, Fp8Accumulation::promoted};
constexpr int scale_block = 128;

constexpr int blocks_of(int size) {
  return (size + scale_block - 1) / scale_block;
}

/// Which sums go with which scales.
struct Way {
  Fp8Accumulation accumulation;
  Fp8Scaling scaling;
};
constexpr Way ways[] = {{Fp8Accumulation::fast, Fp8Scaling::tensor},
                        {Fp8Accumulation::fast, Fp8Scaling::row},
                        {Fp8Accumulation::promoted, Fp8Scaling::tensor},
                        {Fp8Accumulation::promoted, Fp8Scaling::row},
                        {Fp8Accumulation::blocks, Fp8Scaling::block}};

/// Values of e4m3, with what they are. There is room between rows on the device, which holds NaN.
struct Fp8Matrix {
  std::vector<float> values;
  DeviceArray<std::uint8_t> on_device;

  /// Spread evenly over [least, most].
  Fp8Matrix(int rows, int columns, int room, unsigned seed, float least, float most)
      : values(element(rows, 0, columns)), on_device(fill(rows, columns, room, seed, least, most)) {}

 private:
  std::vector<std::uint8_t> fill(int rows, int columns, int room, unsigned seed, float least, float most) {
    std::mt19937 generator(seed);
    std::vector<std::uint8_t> bits(element(rows, 0, columns + room), 0xff);
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) {
        const float drawn = least + (most - least) * 0x1p-32F * static_cast<float>(generator());
        const __nv_fp8_e4m3 rounded(drawn);
        bits[element(row, column, columns + room)] = rounded.__x;
        values[element(row, column, columns)] = static_cast<float>(rounded);
      }
    }
    return bits;
  }
};

class Problem {
 public:
  /// Of each `step`-th row, `wrong` checks the values; of others, that there are some.
  Problem(int rows, int columns, int depth, bool bf16, float least = -2, int step = 1)
      : step_(step),
        m_(rows),
        n_(columns),
        k_(depth),
        half_{bf16},
        a_(m_, k_, room, 1, least, 2),
        b_(n_, k_, 0, 2, least, 2),
        a_scale_(scales(m_, 3)),
        b_scale_(scales(n_, 4)),
        a_block_scale_(scales(blocks_of(k_) * m_, 6)),
        b_block_scale_(scales(blocks_of(n_) * blocks_of(k_), 7)),
        on_a_scale_(a_scale_),
        on_b_scale_(b_scale_),
        on_a_block_scale_(a_block_scale_),
        on_b_block_scale_(b_block_scale_),
        bias_(half_, 1, n_, 5),
        c_(half_, m_, n_),
        sums_(element(m_, 0, n_)),
        scaled_sums_(sums_.size()) {
    for (int row = 0; row < m_; row += step_) {
      for (int column = 0; column < n_; ++column) {
        const std::size_t at = element(row, column, n_);
        for (int block = 0; block < blocks_of(k_); ++block) {
          const Sum sum = sum_of(row, column, block);
          sums_[at].add(sum, 1);
          scaled_sums_[at].add(
              sum,
              static_cast<double>(a_block_scale_[element(block, row, m_)]) *
                  static_cast<double>(b_block_scale_[element(column / scale_block, block, blocks_of(k_))]));
        }
      }
    }
  }

  Fp8GemmArgs args(Fp8Scaling scaling, bool bias = false, Activation activation = Activation::none,
                   bool pitched = false) const {
    return {.a = a_.on_device.get(),
            .b = b_.on_device.get(),
            .c = c_.get(),
            .m = m_,
            .n = n_,
            .k = k_,
            .a_scale = (scaling == Fp8Scaling::block ? on_a_block_scale_ : on_a_scale_).get(),
            .b_scale = (scaling == Fp8Scaling::block ? on_b_block_scale_ : on_b_scale_).get(),
            .scaling = scaling,
            .type = half_.bf16 ? GemmType::bf16 : GemmType::fp16,
            .bias = bias ? bias_.row(0) : nullptr,
            .activation = activation,
            .a_pitch = k_ + room,
            .c_pitch = pitched ? c_.pitch(true) : 0};
  }
  std::size_t wrong(const Fp8GemmArgs& args) {
    return c_.wrong(m_, args.c_pitch != 0, [&](int row, int column) {
      if (row % step_ != 0) {
        return ExpectedValue{0, HUGE_VAL};
      }
      const double scale = scale_of(args, row, column);
      const Sum& sum = (args.scaling == Fp8Scaling::block ? scaled_sums_ : sums_)[element(row, column, n_)];
      const double value =
          activated(args.activation, sum.value * scale + (args.bias != nullptr ? bias_.value(0, column) : 0));
      // The tensor cores keep some 13 bits of a sum behind its leading one.
      return ExpectedValue{value,
                           half_.rounding() * std::abs(value) + 0x1p-12 * sum.magnitude * scale + 1e-4};
    });
  }
  /// Returns by how much the dense C is off, relative to it, in the mean. Waits for the device.
  double mean_error(const Fp8GemmArgs& args) const {
    std::vector<std::uint16_t> c(sums_.size());
    cuda_check(cudaDeviceSynchronize());
    cuda_check(cudaMemcpy(c.data(), c_.get(), c.size() * sizeof(c[0]), cudaMemcpyDeviceToHost));
    double error = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
      const int row = static_cast<int>(i / static_cast<std::size_t>(n_));
      const double value = sums_[i].value * scale_of(args, row, static_cast<int>(i) - row * n_);
      error += (half_.value(c[i]) - value) / value;
    }
    return error / static_cast<double>(c.size());
  }

 private:
  struct Sum {
    double value = 0;
    double magnitude = 0;  ///< of the terms

    void add(const Sum& other, double scale) {
      value += other.value * scale;
      magnitude += other.magnitude * scale;
    }
  };

  /// Over a block of k.
  Sum sum_of(int row, int column, int block) const {
    Sum sum;
    const float* const a = &a_.values[element(row, 0, k_)];
    const float* const b = &b_.values[element(column, 0, k_)];
    for (int i = block * scale_block; i < std::min(k_, (block + 1) * scale_block); ++i) {
      const auto term = static_cast<double>(a[i] * b[i]);
      sum.value += term;
      sum.magnitude += std::abs(term);
    }
    return sum;
  }
  double scale_of(const Fp8GemmArgs& args, int row, int column) const {
    if (args.scaling == Fp8Scaling::block) {
      return 1;  // those sums have theirs
    }
    const bool each = args.scaling == Fp8Scaling::row;
    return static_cast<double>(a_scale_[each ? static_cast<std::size_t>(row) : 0]) *
           static_cast<double>(b_scale_[each ? static_cast<std::size_t>(column) : 0]);
  }

  static constexpr int room = 48;  // between rows of A

  int step_;
  int m_;
  int n_;
  int k_;
  Half half_;
  Fp8Matrix a_;
  Fp8Matrix b_;
  std::vector<float> a_scale_;
  std::vector<float> b_scale_;
  std::vector<float> a_block_scale_;
  std::vector<float> b_block_scale_;
  DeviceArray<float> on_a_scale_;
  DeviceArray<float> on_b_scale_;
  DeviceArray<float> on_a_block_scale_;
  DeviceArray<float> on_b_block_scale_;
  HalfMatrix bias_;
  ResultMemory c_;
  std::vector<Sum> sums_;
  std::vector<Sum> scaled_sums_;  // each block of k times its scales
};

}  // namespace

TEST_CASE("fp8 GEMM: what does not fit is an invalid argument that is named", "[unit]") {
  alignas(16) static char memory[32];
  static const float scale = 1;
  const auto message = [](const Fp8GemmArgs& args, Fp8Accumulation accumulation = Fp8Accumulation::fast) {
    return error_text<InvalidArgument>([&] { fp8_gemm(accumulation).launch_config(0, nullptr, args); });
  };
  const Fp8GemmArgs good{
      .a = memory, .b = memory, .c = memory, .m = 1, .n = 8, .k = 16, .a_scale = &scale, .b_scale = &scale};
  Fp8GemmArgs bad = good;
  bad.k = 24;
  CHECK_THAT(message(bad), ContainsSubstring("not 24 and 0"));
  bad = good;
  bad.a_pitch = 24;
  CHECK_THAT(message(bad), ContainsSubstring("not 16 and 24"));
  bad = good;
  bad.n = 12;
  CHECK_THAT(message(bad), ContainsSubstring("n = 12, k = 16"));
  bad = good;
  bad.a_scale = nullptr;
  CHECK_THAT(message(bad), ContainsSubstring("scales must not be null"));
  bad = good;
  CHECK_THAT(message(bad, Fp8Accumulation::blocks), ContainsSubstring("takes no others, not tensor"));
  bad.scaling = Fp8Scaling::block;
  for (const Fp8Accumulation accumulation : accumulations) {
    CHECK_THAT(message(bad, accumulation),
               ContainsSubstring("scales of blocks need Fp8Accumulation::blocks"));
  }
}

TEST_CASE("fp8 GEMM: scales of a tensor, of rows and of blocks, bias, activation and pitch, in both types") {
  ONLY_IF(has_gpu());
  const Stream stream;
  for (const bool bf16 : {true, false}) {
    Problem problem(193, 264, 144, bf16);
    for (const Way& way : ways) {
      for (const bool all : {false, true}) {
        CAPTURE(bf16, static_cast<int>(way.accumulation), static_cast<int>(way.scaling), all);
        const Fp8GemmArgs args =
            problem.args(way.scaling, all, all ? Activation::silu : Activation::none, all);
        REQUIRE(fp8_gemm(way.accumulation).launch_config(0, stream, args) == CUDA_SUCCESS);
        CHECK(problem.wrong(args) == 0);
      }
    }
  }
}

TEST_CASE("fp8 GEMM: the smallest matrices") {
  ONLY_IF(has_gpu());
  const Stream stream;
  Problem problem(1, 8, 16, true);
  for (const Way& way : ways) {
    const Fp8GemmArgs args = problem.args(way.scaling);
    REQUIRE(fp8_gemm(way.accumulation).launch_config(0, stream, args) == CUDA_SUCCESS);
    CHECK(problem.wrong(args) == 0);
  }
}

TEST_CASE("fp8 GEMM: every tile is right") {
  ONLY_IF(has_gpu());
  const Stream stream;
  // Tiles that begin anywhere within blocks of scales, over an odd and an even number of them; and more tiles
  // than there are multiprocessors.
  Problem problems[] = {{321, 520, 528, true}, {193, 264, 656, true}, {2881, 1544, 1040, true, -2, 37}};
  for (Problem& problem : problems) {
    for (const Way& way : ways) {
      if (way.scaling == Fp8Scaling::tensor) {
        continue;
      }
      const Fp8GemmArgs args = problem.args(way.scaling, true, Activation::silu);
      Fp8Gemm& kernel = fp8_gemm(way.accumulation);
      for (std::size_t id = 0; id < kernel.space().size(); ++id) {
        if (!is_plain(kernel.space()[id])) {
          continue;
        }
        CAPTURE(args.m, static_cast<int>(way.accumulation), kernel.space().describe(id));
        REQUIRE(kernel.launch_config(id, stream, args) == CUDA_SUCCESS);
        CHECK(problem.wrong(args) == 0);
      }
    }
  }
}

TEST_CASE("fp8 GEMM: promoted sums of a long k are closer than fast ones") {
  ONLY_IF(has_gpu());
  const Stream stream;
  Problem problem(64, 64, 8192, false, 0.25F);  // sums that only grow lose most
  const Fp8GemmArgs args = problem.args(Fp8Scaling::row);
  double errors[2] = {};
  for (const Fp8Accumulation accumulation : accumulations) {
    REQUIRE(fp8_gemm(accumulation).launch_config(0, stream, args) == CUDA_SUCCESS);
    errors[accumulation == Fp8Accumulation::promoted ? 1 : 0] = std::abs(problem.mean_error(args));
  }
  CAPTURE(errors[0], errors[1]);
  CHECK(errors[1] < 1e-3);
  CHECK(errors[1] < errors[0] / 4);
}

}  // namespace contextual::test::gpu_test::fp8_gemm_test
