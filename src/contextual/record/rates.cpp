#include "contextual/record/rates.hpp"

#include <cstdio>

namespace contextual::record {
namespace {

std::string with_unit(double rate, const char* unit) {
  char text[48];
  std::snprintf(text, sizeof text, "%.4g %s", rate, unit);
  return text;
}

}  // namespace

KernelMetrics metrics_of(const KernelWork& work, double time_ns) {
  return time_ns > 0 ? compute_metrics(work, std::chrono::duration<double, std::nano>(time_ns))
                     : KernelMetrics{};
}

std::string rates_text(const KernelMetrics& metrics) {
  std::string text;
  if (metrics.teraflops_per_second) {
    text = with_unit(*metrics.teraflops_per_second, "TFLOP/s");
  }
  if (metrics.gigabytes_per_second) {
    text += (text.empty() ? "" : ", ") + with_unit(*metrics.gigabytes_per_second, "GB/s");
  }
  return text;
}

}  // namespace contextual::record
