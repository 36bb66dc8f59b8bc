/// \file
/// What CUPTI and CUDA events read for kernels that know how long they ran: spin kernels of several durations
/// and numbers of blocks, back to back on one stream, durations in turn.
///
/// A kernel's own clock: from the first block's begin to the last block's end by %globaltimer. A timer may
/// read longer by a constant; what counts for a choice are differences, so those are the goal: between each
/// two durations, reading against own clock, within 0.1 us or 1 % of the own difference, whichever is larger.

#include "cuda_common.hpp"

#include <contextual/deadline.hpp>
#include <contextual/timer.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

namespace {

using namespace contextual;
using namespace contextual::benchmarks;

constexpr std::array<unsigned long long, 4> durations_us{2, 10, 100, 1000};
constexpr std::array<unsigned, 3> block_counts{1, 132, 8448};
constexpr std::size_t batch = 40;  // launches a settle; the durations in turn

/// In us, one value a launch.
struct Readings {
  std::vector<double> own;
  std::vector<double> measured;
};
using ReadingsByDuration = std::array<Readings, durations_us.size()>;

/// The timer's own calls, as the tuner makes them around a launch.
class Measurement {
 public:
  Measurement(Timer& timer, SpinKernel& kernel, const Stream& stream, unsigned blocks)
      : timer_(timer), kernel_(kernel), stream_(stream), blocks_(blocks), stamps_(batch * blocks) {}

  /// One batch. The launches that the timer could not time are left out.
  void add_batch(ReadingsByDuration& readings, std::size_t& without_time) {
    std::vector<LaunchTiming> launches(batch);
    std::vector<IterationTiming> iterations(1);
    iterations[0].tuning_iteration = iteration_;
    timer_.begin_iteration(iteration_, iterations[0].note);
    for (std::size_t i = 0; i < batch; ++i) {
      launch(i, launches[i]);
    }
    timer_.end_iteration(iteration_, iterations[0].note);
    timer_.settle(launches, iterations, Deadline::after(std::chrono::seconds(30)));
    ++iteration_;
    const std::vector<Stamp> stamps = stamps_.download();
    for (std::size_t i = 0; i < batch; ++i) {
      const Stamp own = extent(stamps.data() + i * blocks_, blocks_);
      if (launches[i].spans.empty()) {
        ++without_time;
        continue;
      }
      Readings& of_duration = readings[i % durations_us.size()];
      of_duration.own.push_back(static_cast<double>(own.end_ns - own.begin_ns) / 1e3);
      of_duration.measured.push_back(time_us(launches[i].spans));
    }
  }

 private:
  void launch(std::size_t i, LaunchTiming& timing) {
    LaunchInfo info;
    info.region = "accuracy";
    info.kernel = kernel_.name();
    info.key = &key_;
    info.tuning_iteration = iteration_;
    info.stream = static_cast<cudaStream_t>(stream_);
    timing.tuning_iteration = iteration_;
    timer_.begin_launch(info, timing.note);
    kernel_(stream_, stamps_.get() + i * blocks_, durations_us[i % durations_us.size()] * 1000, blocks_);
    timer_.end_launch(info, timing.note);
  }
  /// One kernel is one span.
  static double time_us(const std::vector<Span>& spans) {
    std::int64_t begin = spans[0].begin_ns;
    std::int64_t end = spans[0].end_ns;
    for (const Span& span : spans) {
      begin = std::min(begin, span.begin_ns);
      end = std::max(end, span.end_ns);
    }
    return static_cast<double>(end - begin) / 1e3;
  }

  Timer& timer_;
  SpinKernel& kernel_;
  const Stream& stream_;
  unsigned blocks_;
  Buffer<Stamp> stamps_;
  Key key_ = make_key(blocks_);
  std::int64_t iteration_ = 0;
};

/// Prints the readings of one number of blocks; returns the largest error of a difference over what is
/// allowed.
double print(std::string_view timer, unsigned blocks, const ReadingsByDuration& readings) {
  double worst = 0;
  std::array<double, durations_us.size()> own{};
  std::array<double, durations_us.size()> error{};
  for (std::size_t d = 0; d < durations_us.size(); ++d) {
    const std::vector<double> errors = differences(readings[d].measured, readings[d].own);
    own[d] = trimmed_mean(readings[d].own);
    error[d] = trimmed_mean(errors);
    const auto [lowest, highest] = std::minmax_element(errors.begin(), errors.end());
    std::printf("%-12.*s %7u %7llu %12.3f %12.3f %9.3f %9.3f %9.3f\n", static_cast<int>(timer.size()),
                timer.data(), blocks, durations_us[d], own[d], trimmed_mean(readings[d].measured), error[d],
                *lowest, *highest);
  }
  for (std::size_t a = 0; a < own.size(); ++a) {
    for (std::size_t b = a + 1; b < own.size(); ++b) {
      const double allowed = std::max(0.1, 0.01 * std::abs(own[b] - own[a]));
      worst = std::max(worst, std::abs(error[b] - error[a]) / allowed);
    }
  }
  return worst;
}

/// Returns the largest error over what is allowed, over all numbers of blocks.
double measure(Timer& timer, SpinKernel& kernel, const Stream& stream, int repeats) {
  double worst = 0;
  std::size_t without_time = 0;
  for (const unsigned blocks : block_counts) {
    Measurement measurement(timer, kernel, stream, blocks);
    ReadingsByDuration warm_up;
    std::size_t ignored = 0;
    measurement.add_batch(warm_up, ignored);
    ReadingsByDuration readings;
    const int batches = (repeats * static_cast<int>(durations_us.size()) + static_cast<int>(batch) - 1) /
                        static_cast<int>(batch);
    for (int i = 0; i < batches; ++i) {
      measurement.add_batch(readings, without_time);
    }
    worst = std::max(worst, print(timer.name(), blocks, readings));
  }
  if (without_time > 0) {
    std::printf("%zu launches got no time\n", without_time);
  }
  return worst;
}

}  // namespace

int main(int argc, char** argv) {
  BenchmarkApp app{"What the GPU timers read for kernels that know how long they ran"};
  int repeats = 200;
  app.add_option("--repeats", repeats, "launches of each kind")->check(CLI::Range(1, 1'000'000));
  return run_on_gpu(app, argc, argv, [&] {
    const Stream stream;
    const std::unique_ptr<SpinKernel> kernel = make_spin_kernel("spin", 1);
    const Stamp alone = clock_steps(stream);
    std::printf("steps of %%globaltimer as one thread sees them: %llu to %llu ns", alone.begin_ns,
                alone.end_ns);
    std::array<double, 2> worst{};
    std::array<bool, 2> measured{};
    for (std::size_t i = 0; i < 2; ++i) {
      try {
        const auto timer = i == 0 ? cuda_cupti_timer() : cuda_event_timer();
        if (i == 0) {
          const Stamp beside = clock_steps(stream);
          std::printf(
              "; with CUPTI: %llu to %llu ns\n\nus           blocks    spin    own clock     measured   "
              "  error    lowest   highest\n",
              beside.begin_ns, beside.end_ns);
        }
        worst[i] = measure(*timer, *kernel, stream, repeats);
        measured[i] = true;
      } catch (const CudaUnavailable& reason) {
        std::printf("\nleft out: %s\n", reason.what());
      }
    }
    std::printf("\n");
    for (std::size_t i = 0; i < 2; ++i) {
      if (measured[i]) {
        goal_at_most(std::string("differences by ") + (i == 0 ? "CUPTI" : "CUDA events") +
                         ", largest error over max(0.1 us, 1 %)",
                     worst[i], 1, "x");
      }
    }
    return measured[0] ? 0 : 1;
  });
}
