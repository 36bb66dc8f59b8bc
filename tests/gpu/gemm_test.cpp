#include "gpu/gemm_reference.hpp"
#include "gpu/kernel_support.hpp"
#include "support/catch.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/error.hpp>
#include <contextual/kernels/cuda/gemm.hpp>
#include <contextual/kernels/cuda/mma_gemm.hpp>

namespace contextual::test::gpu_test::gemm_test {

using namespace kernels::cuda;

namespace {

/// Each on few multiprocessors, so that blocks take several tiles also of small matrices.
ConfigSpace<GemmConfig> crowded(const ConfigSpace<GemmConfig>& space) {
  std::vector<GemmConfig> configs;
  for (GemmConfig config : space.configs()) {
    if (config.num_sms == 0) {
      config.num_sms = 4;
      configs.push_back(config);
    }
  }
  return ConfigSpace<GemmConfig>::list({{"BLOCK_M", &GemmConfig::block_m},
                                        {"BLOCK_N", &GemmConfig::block_n},
                                        {"STAGES", &GemmConfig::stages},
                                        {"CLUSTER", &GemmConfig::cluster},
                                        {"GROUP", &GemmConfig::group},
                                        {"ALONG_N", &GemmConfig::along_n},
                                        {"STORE_BUFFERS", &GemmConfig::store_buffers},
                                        {"NUM_SMS", &GemmConfig::num_sms}},
                                       configs);
}

/// The kernel's configs, compiled in parallel by tuning it, which must not choose something wrong.
void tune(Gemm& kernel, ReferenceGemm& problem, const Stream& stream) {
  Options options = walk_options(1, cuda_timer);
  int wrong = 0;
  options.before_iteration = [&](const IterationInfo&) { problem.poison(); };
  options.after_iteration = [&](const IterationInfo&) {
    wrong += problem.error() < ReferenceGemm::most_error ? 0 : 1;
  };
  ContextualAutotuner tuner(options);
  tuner.run("gemm", [&] { kernel(stream, problem.args()); });
  CHECK(wrong == 0);
  const Report report = tuner.report();
  for (const ConfigReport& config : report.find("gemm")->problems.at(0).configs) {
    INFO(config.config.to_string() << ": " << config.rejection.value_or(""));
    CHECK_FALSE(config.rejection.has_value());
  }
}

template <typename Kernel>
void check_every_config(Kernel& kernel, ReferenceGemm& problem, const GemmArgs& args, const Stream& stream) {
  for (std::size_t id = 0; id < kernel.space().size(); ++id) {
    INFO(kernel.space().describe(id));
    problem.poison();
    REQUIRE(kernel.launch_config(id, stream, args) == CUDA_SUCCESS);
    cuda_check(cudaDeviceSynchronize());
    CHECK(problem.error() < ReferenceGemm::most_error);
  }
}

/// Not set; set by the stream, not by the host.
class ReadyFlags {
 public:
  ReadyFlags(int rows, int rows_per_flag)
      : flags_(static_cast<std::size_t>((rows + rows_per_flag - 1) / rows_per_flag)),
        rows_per_flag_(rows_per_flag) {
    clear();
  }
  static constexpr unsigned ready = 0x01010101;

  GemmArgs args(GemmArgs args) const {
    args.ready_flags = flags_.get();
    args.ready_value = ready;
    args.rows_per_flag = rows_per_flag_;
    args.timed_out = timed_out_.get();
    return args;
  }
  void clear() {
    cuda_check(cudaMemset(flags_.get(), 0, size() * sizeof(unsigned)));
    cuda_check(cudaMemset(timed_out_.get(), 0, sizeof(unsigned)));
    cuda_check(cudaDeviceSynchronize());
  }
  void set(std::size_t flag, cudaStream_t stream) {
    cuda_check(cudaMemsetAsync(flags_.get() + flag, 1, sizeof(unsigned), stream));
  }
  std::size_t size() const { return flags_.host().size(); }
  bool timed_out() const { return timed_out_.host().at(0) != 0; }

 private:
  DeviceArray<unsigned> flags_;
  DeviceArray<unsigned> timed_out_{1};
  int rows_per_flag_;
};

}  // namespace

TEST_CASE("gemm: config 0 is the default, and the space is of a size that can be walked", "[unit]") {
  const ConfigSpace<GemmConfig> space = gemm_space();
  CHECK(space.size() >= 24);
  CHECK(space.size() <= 60);
  CHECK(space[0].block_m == GemmConfig{}.block_m);
  CHECK(space[0].stages == GemmConfig{}.stages);
}

TEST_CASE("gemm: what the copy engine cannot read is an invalid argument that is named", "[unit]") {
  alignas(16) static char memory[32];
  const auto message = [](GemmArgs args) {
    return error_text<InvalidArgument>([&] { gemm().launch_config(0, nullptr, args); });
  };
  GemmArgs good{.a = memory, .b = memory, .c = memory, .m = 1, .n = 8, .k = 8};
  GemmArgs bad = good;
  bad.n = 12;
  CHECK_THAT(message(bad), ContainsSubstring("n = 12") && ContainsSubstring("multiples of 8"));
  bad = good;
  bad.k = 20;
  CHECK_THAT(message(bad), ContainsSubstring("k = 20") && ContainsSubstring("multiples of 8"));
  bad = good;
  bad.m = 0;
  CHECK_THAT(message(bad), ContainsSubstring("m = 0") && ContainsSubstring("at least 1"));
  bad = good;
  bad.b = memory + 8;
  CHECK_THAT(message(bad), ContainsSubstring("multiples of 16 bytes"));
  bad = good;
  bad.c = nullptr;
  CHECK_THAT(message(bad), ContainsSubstring("not null"));
  bad = good;
  static const unsigned flag = 0;
  bad.ready_flags = &flag;
  CHECK_THAT(message(bad), ContainsSubstring("rows_per_flag"));
  bad.rows_per_flag = 1;
  CHECK_THROWS_AS(mma_gemm().launch_config(0, nullptr, bad), InvalidArgument);
}

TEST_CASE("gemm: every config is right when tuned") {
  ONLY_IF(has_gpu());
  const Stream stream;
  ReferenceGemm problem({512, 512, 512});
  tune(gemm(), problem, stream);
}

TEST_CASE("gemm: every config is right for shapes that no tile divides") {
  ONLY_IF(has_gpu());
  const Stream stream;
  for (const bool bf16 : {true, false}) {
    for (const GemmShape& shape :
         {GemmShape{1, 8, 8, bf16}, GemmShape{127, 136, 72, bf16}, GemmShape{193, 520, 200, bf16}}) {
      INFO(shape.text());
      ReferenceGemm problem(shape);
      check_every_config(gemm(), problem, problem.args(), stream);
      check_every_config(mma_gemm(), problem, problem.args(), stream);
    }
  }
}

TEST_CASE("gemm: every config is right for long sums and for many tiles") {
  ONLY_IF(has_gpu());
  const Stream stream;
  for (const bool bf16 : {true, false}) {
    for (const GemmShape& shape : {GemmShape{256, 256, 4096, bf16}, GemmShape{4091, 1280, 1024, bf16}}) {
      INFO(shape.text());
      ReferenceGemm problem(shape);
      check_every_config(gemm(), problem, problem.args(), stream);
      check_every_config(mma_gemm(), problem, problem.args(), stream);
    }
  }
}

TEST_CASE("gemm: every config is right where blocks take several tiles") {
  ONLY_IF(has_gpu());
  const Stream stream;
  Gemm kernel("cuda_gemm_crowded", crowded(gemm_space()), gemm_key, gemm_definition());
  CHECK(kernel.space().size() >= 20);
  for (const bool bf16 : {true, false}) {
    ReferenceGemm problem({700, 840, 328, bf16});
    check_every_config(kernel, problem, problem.args(), stream);
  }
}

TEST_CASE("gemm: rows of A are not read before their flag is set") {
  ONLY_IF(has_gpu());
  const Stream stream;
  const Stream copies;
  const GemmShape shape{700, 264, 520};
  ReferenceGemm problem(shape);
  const std::size_t row_bytes = static_cast<std::size_t>(shape.k) * sizeof(std::uint16_t);
  const DeviceArray<std::uint16_t> late(static_cast<std::size_t>(shape.m) *
                                        static_cast<std::size_t>(shape.k));
  for (const int rows_per_flag : {1000, 96}) {
    ReadyFlags flags(shape.m, rows_per_flag);
    for (std::size_t id = 0; id < gemm().space().size(); ++id) {
      INFO(rows_per_flag << " rows a flag; " << gemm().space().describe(id));
      problem.poison();
      cuda_check(cudaMemset(late.get(), 0xff, static_cast<std::size_t>(shape.m) * row_bytes));
      flags.clear();
      GemmArgs args = flags.args(problem.args());
      const auto* const whole = static_cast<const char*>(args.a);
      args.a = late.get();
      REQUIRE(gemm().launch_config(id, stream, args) == CUDA_SUCCESS);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      for (int first = shape.m / rows_per_flag * rows_per_flag; first >= 0; first -= rows_per_flag) {
        const std::size_t from = static_cast<std::size_t>(first) * row_bytes;
        const auto rows = static_cast<std::size_t>(std::min(rows_per_flag, shape.m - first));
        cuda_check(cudaMemcpyAsync(reinterpret_cast<char*>(late.get()) + from, whole + from, rows * row_bytes,
                                   cudaMemcpyDeviceToDevice, copies));
        flags.set(static_cast<std::size_t>(first / rows_per_flag), copies);
      }
      CHECK(problem.error() < ReferenceGemm::most_error);
      CHECK_FALSE(flags.timed_out());
    }
  }
}

TEST_CASE("gemm: it ends and says so when a flag is never set") {
  ONLY_IF(has_gpu());
  const Stream stream;
  ReferenceGemm problem({700, 264, 520});
  ReadyFlags flags(700, 128);
  GemmArgs args = flags.args(problem.args());
  args.wait_budget_ns = 50'000'000;
  REQUIRE(gemm().launch_config(0, stream, args) == CUDA_SUCCESS);
  stream.wait();
  CHECK(flags.timed_out());
  CHECK(problem.error() < ReferenceGemm::most_error);  // A is there after all
  flags.clear();
  for (std::size_t flag = 0; flag < flags.size(); ++flag) {
    flags.set(flag, stream);
  }
  REQUIRE(gemm().launch_config(0, stream, args) == CUDA_SUCCESS);
  stream.wait();
  CHECK_FALSE(flags.timed_out());
}

}  // namespace contextual::test::gpu_test::gemm_test
