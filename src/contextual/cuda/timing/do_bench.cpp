#include "contextual/cuda/api/driver.hpp"
#include "contextual/cuda/timing/bench_gpus.hpp"

#include <contextual/cuda/do_bench.hpp>
#include <contextual/cuda/timer.hpp>
#include <contextual/do_bench.hpp>
#include <contextual/error.hpp>

#include <string>
#include <utility>

namespace contextual {
namespace {

TimerFactory timer_of_devices(TimerFactory factory) {
  if (!factory) {
    return cuda_timer;
  }
  return [factory = std::move(factory)] {
    std::unique_ptr<Timer> timer = factory();
    if (timer != nullptr && !timer->measures_devices()) {
      throw InvalidArgument("do_bench on a CUDA stream got the timer \"" + std::string(timer->name()) +
                            "\", which measures the host only: leave BenchOptions::timer empty for "
                            "cuda_timer, or call do_bench without a stream to time the launching calls");
    }
    return timer;
  };
}

/// Already making a timer launches and allocates, which can end a capture.
void refuse_captures(CUstream stream) {
  if (cuda::driver_problem().empty() && cuda::capture_is_open(stream)) {
    throw InvalidArgument(
        "do_bench was called while a stream is being captured, so that nothing would run: call it before "
        "the capture, or after it");
  }
}

}  // namespace

BenchResult do_bench(CUstream stream, const std::function<void()>& function, const BenchOptions& options) {
  refuse_captures(stream);
  BenchOptions on_stream = options;
  on_stream.timer = timer_of_devices(options.timer);
  on_stream.stream = stream;
  return do_bench(function, on_stream);
}

BenchResult do_bench(CUstream stream, const std::function<void(CUstream)>& function,
                     const BenchOptions& options) {
  if (!function) {
    throw InvalidArgument("do_bench got an empty function");
  }
  return do_bench(
      stream, [&] { function(stream); }, options);
}

}  // namespace contextual
