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

}  // namespace

BenchResult do_bench(CUstream stream, const std::function<void()>& function, const BenchOptions& options) {
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
