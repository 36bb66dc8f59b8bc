#include "support/catch.hpp"
#include "unit/cuda/tuning_support.hpp"

#include <contextual/cuda/error.hpp>
#include <contextual/detail/cuda/exchange_buffer.hpp>

namespace contextual::test::cuda_test::exchange_buffer_test {

using detail::ExchangeBuffer;

TEST_CASE("exchange buffer: bytes go to the device and back, each range to its place") {
  ScriptedDriver gpu;
  ExchangeBuffer buffer(std::nullopt, 64);
  CHECK(buffer.bytes() == 64);
  std::memcpy(buffer.host() + 8, "abcdefgh", 8);
  buffer.copy_to_device({8, 8});
  CHECK(std::memcmp(buffer.device() + 8, "abcdefgh", 8) == 0);
  CHECK(buffer.device()[0] == std::byte{0});
  std::memcpy(buffer.device() + 32, "ijkl", 4);
  buffer.copy_to_host({32, 4});
  CHECK(std::memcmp(buffer.host() + 32, "ijkl", 4) == 0);
}

TEST_CASE("exchange buffer: it is done when its stream is, and says what the device said") {
  ScriptedDriver gpu;
  ExchangeBuffer buffer(std::nullopt, 64);
  gpu.busy_queries = 2;
  CHECK_FALSE(buffer.done());
  CHECK_FALSE(buffer.done());
  CHECK(buffer.done());
  gpu.fails = [](const std::string& function) {
    return function == "cuStreamQuery" ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_SUCCESS;
  };
  CHECK_THROWS_AS(buffer.done(), DeviceError);
}

TEST_CASE("exchange buffer: it lives in the current context, or in a device's own") {
  ScriptedDriver gpu(3);
  gpu.set_current(gpu.context(1));
  const ExchangeBuffer of_thread(std::nullopt, 8);
  const ExchangeBuffer of_device(2, 8);
  CHECK(of_thread.context() == gpu.context(1));
  CHECK(of_device.context() == gpu.context(2));
  CHECK_THAT(error_text<InvalidArgument>([] { ExchangeBuffer(3, 8); }),
             ContainsSubstring("there is no CUDA device 3"));
  gpu.set_current(nullptr);
  CHECK_THAT(error_text<InvalidArgument>([] { ExchangeBuffer(std::nullopt, 8); }),
             ContainsSubstring("cudaSetDevice"));
  gpu.set_current(gpu.context(0));
}

TEST_CASE("exchange buffer: what it allocated is freed, also when it could not be made, unless abandoned") {
  ScriptedDriver gpu;
  { const ExchangeBuffer buffer(0, 8); }
  CHECK(gpu.living_allocations() == 0);
  CHECK(gpu.living_streams() == 0);
  gpu.fails = [](const std::string& function) {
    return function == "cuMemHostAlloc" ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
  };
  CHECK_THROWS_AS(ExchangeBuffer(0, 8), CudaError);
  CHECK(gpu.living_allocations() == 0);
  CHECK(gpu.living_streams() == 0);
  gpu.fails = nullptr;
  {
    ExchangeBuffer buffer(0, 8);
    buffer.abandon();
  }
  CHECK(gpu.living_allocations() == 2);
  CHECK(gpu.living_streams() == 1);
}

}  // namespace contextual::test::cuda_test::exchange_buffer_test
