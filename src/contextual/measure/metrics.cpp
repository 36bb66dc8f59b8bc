#include <contextual/error.hpp>
#include <contextual/metrics.hpp>

#include <cmath>
#include <string>
#include <type_traits>

namespace contextual {
namespace {

using Nanoseconds = std::chrono::duration<double, std::nano>;

// An operation a nanosecond is 10^9 operations a second: 10^-3 TFLOP/s. A byte a nanosecond is 1 GB/s.
constexpr double teraflops_per_flop_per_ns = 1e-3;

void require_positive(double value, const char* what) {
  if (!std::isfinite(value) || value <= 0) {
    throw InvalidArgument(std::string(what) + " must be a number above 0, not " + std::to_string(value));
  }
}

/// A negative number that has become an unsigned one is refused, too.
void require_count(std::size_t value, const char* what) {
  const auto as_given = static_cast<std::make_signed_t<std::size_t>>(value);
  if (as_given <= 0) {
    throw InvalidArgument(std::string(what) + " must be a number above 0, not " + std::to_string(as_given));
  }
}

void require_work(double value, const char* what) {
  if (!std::isfinite(value) || value < 0) {
    throw InvalidArgument(std::string(what) + " must be a number that is not negative, not " +
                          std::to_string(value));
  }
}

std::optional<double> fraction_of(const std::optional<double>& peak, const std::optional<double>& rate,
                                  const char* what) {
  if (!peak) {
    return std::nullopt;
  }
  require_positive(*peak, what);
  return rate ? std::optional(*rate / *peak) : std::nullopt;
}

}  // namespace

KernelMetrics compute_metrics(const KernelWork& work, Nanoseconds latency, const DevicePeak& peak) {
  require_positive(latency.count(), "the latency in nanoseconds");
  require_work(work.flops, "the number of floating-point operations");
  require_work(work.bytes, "the number of bytes");
  KernelMetrics metrics;
  metrics.latency = latency;
  if (work.flops > 0) {
    metrics.teraflops_per_second = work.flops / latency.count() * teraflops_per_flop_per_ns;
  }
  if (work.bytes > 0) {
    metrics.gigabytes_per_second = work.bytes / latency.count();
  }
  metrics.peak_compute_fraction =
      fraction_of(peak.teraflops_per_second, metrics.teraflops_per_second, "the peak in TFLOP/s");
  metrics.peak_bandwidth_fraction =
      fraction_of(peak.gigabytes_per_second, metrics.gigabytes_per_second, "the peak in GB/s");
  return metrics;
}

KernelWork gemm_work(std::size_t m, std::size_t n, std::size_t k, std::size_t element_bytes) {
  const auto rows = static_cast<double>(m);
  const auto columns = static_cast<double>(n);
  const auto depth = static_cast<double>(k);
  const auto bytes = static_cast<double>(element_bytes);
  require_count(m, "the number m of rows");
  require_count(n, "the number n of columns");
  require_count(k, "the inner extent k");
  require_count(element_bytes, "the size of an element in bytes");
  return {2 * rows * columns * depth, bytes * (rows * depth + depth * columns + rows * columns)};
}

KernelMetrics compute_gemm_metrics(std::size_t m, std::size_t n, std::size_t k, std::size_t element_bytes,
                                   Nanoseconds latency, const DevicePeak& peak) {
  return compute_metrics(gemm_work(m, n, k, element_bytes), latency, peak);
}

KernelMetrics compute_elementwise_metrics(std::size_t elements, std::size_t bytes_per_element,
                                          double flops_per_element, Nanoseconds latency,
                                          const DevicePeak& peak) {
  const auto count = static_cast<double>(elements);
  const auto bytes = static_cast<double>(bytes_per_element);
  require_count(elements, "the number of elements");
  require_count(bytes_per_element, "the number of bytes per element");
  require_work(flops_per_element, "the number of floating-point operations per element");
  return compute_metrics({count * flops_per_element, count * bytes}, latency, peak);
}

}  // namespace contextual
