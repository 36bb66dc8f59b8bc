#include "cuda_timed_launch.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>

namespace contextual::benchmarks {
namespace {

using Samples = std::vector<TimedSample>;

constexpr int repeats = 20;
constexpr int warm_up = 4;  ///< batches after CUPTI has come or gone, left out

/// The value that `share` of the values are at most, of at least one value.
double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

template <typename Value>
std::vector<double> each(const Samples& samples, const Value& value) {
  std::vector<double> all;
  std::transform(samples.begin(), samples.end(), std::back_inserter(all), value);
  return all;
}

double timed_over_raw(const TimedSample& sample) {
  return sample.timed - sample.raw();
}

void print_line(const char* what, const std::vector<double>& values, const std::vector<double>& over) {
  std::printf("%-30s %11.0f %10.0f %10.0f", what, median(values), quantile(values, 0.25),
              quantile(values, 0.75));
  if (!over.empty()) {
    std::printf(" %24.0f %10.0f %10.0f", median(over), quantile(over, 0.25), quantile(over, 0.75));
  }
  std::printf("\n");
}

void print_samples(const Samples& samples, const char* which) {
  std::printf("%zu %s\n", samples.size(), which);
  std::printf("%-30s %11s %10s %10s %24s %10s %10s\n", "ns a launch", "median", "25 %", "75 %",
              "over raw: median", "25 %", "75 %");
  print_line("raw without CUPTI", each(samples, [](const auto& s) { return s.raw(); }), {});
  print_line("raw beside the tuner's CUPTI", each(samples, [](const auto& s) { return s.raw_beside; }),
             each(samples, [](const auto& s) { return s.raw_beside - s.raw(); }));
  print_line("timed", each(samples, [](const auto& s) { return s.timed; }), each(samples, timed_over_raw));
}

}  // namespace

void TimedOverRaw::add_tuning() {
  TimedSample sample;
  sample.raw_before = raw_now();
  add_tuned(sample);
  detach_cupti();  // which it may be no more, as there are many tunings
  sample.raw_after = raw_now();
  samples_.push_back(sample);
}

void TimedOverRaw::print() const {
  print_samples(samples_, "tunings");
  print_samples(fastest_quarter(), "of them, whose slowest raw launches were fastest");
}

double TimedOverRaw::over_raw() const {
  return median(each(samples_, timed_over_raw));
}

double TimedOverRaw::least_disturbed_over_raw() const {
  return median(each(fastest_quarter(), timed_over_raw));
}

void TimedOverRaw::add_tuned(TimedSample& sample) {
  std::vector<double> raw;
  std::vector<double> timed;
  int iteration = 0;
  ContextualAutotuner tuner;
  tuner.run(
      "timed",
      [&] {
        const double raw_ns = ns_per_launch(launches_, batch_, [&] { launches_.raw(); });
        const double timed_ns = ns_per_launch(launches_, batch_, [&] { launches_.tunable(); });
        if (iteration++ > 1) {  // the first ones find CUPTI just attached
          raw.push_back(raw_ns);
          timed.push_back(timed_ns);
        }
      },
      tuning(cuda_cupti_timer, repeats));
  raw.pop_back();  // the final run is not timed
  timed.pop_back();
  sample.raw_beside = mean(raw);
  sample.timed = mean(timed);
}

/// CUPTI may just have gone.
double TimedOverRaw::raw_now() {
  std::vector<double> times;
  for (int i = 0; i < warm_up + repeats; ++i) {
    times.push_back(ns_per_launch(launches_, batch_, [&] { launches_.raw(); }));
  }
  return mean({times.begin() + warm_up, times.end()});
}

/// Chosen by raw launches without CUPTI alone: where these are fast by chance, the difference to them only
/// looks larger.
std::vector<TimedSample> TimedOverRaw::fastest_quarter() const {
  Samples chosen = samples_;
  std::sort(chosen.begin(), chosen.end(),
            [](const TimedSample& a, const TimedSample& b) { return a.slowest_raw() < b.slowest_raw(); });
  chosen.resize((chosen.size() + 3) / 4);
  return chosen;
}

}  // namespace contextual::benchmarks
