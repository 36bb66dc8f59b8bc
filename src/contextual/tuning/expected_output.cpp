#include "contextual/tuning/expected_output.hpp"

#include "contextual/measure/elements.hpp"
#include "contextual/measure/no_room.hpp"

#include <contextual/detail/measure/device_buffers.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>

namespace contextual::tuning {

using detail::BlockSum;
using detail::Differences;

namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 20;
constexpr std::size_t block_elements = std::size_t{1} << 18;

std::string text_of(double value) {
  if (std::isnan(value)) {
    return "nan";  // of either sign
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.9g", value);
  return text.data();
}

void copy(void* to, const void* from, std::size_t size_bytes, const detail::DeviceBuffers* device) {
  if (device != nullptr) {
    device->copy(to, from, size_bytes);
  } else {
    std::memcpy(to, from, size_bytes);
  }
}

}  // namespace

void fill_output(const Output& output) {
  constexpr unsigned char nan_of_all_types = 0xFF;
  if (output.count == 0) {
    return;
  }
  if (const detail::DeviceBuffers* const device = detail::device_of(output.data)) {
    device->fill(output.data, nan_of_all_types, output.bytes());
  } else {
    std::memset(output.data, nan_of_all_types, output.bytes());
  }
}

ExpectedOutput::ExpectedOutput(Output output, std::size_t kept_bytes, int rank)
    : output_(std::move(output)), device_(output_.count == 0 ? nullptr : detail::device_of(output_.data)) {
  plan_pieces(kept_bytes);
  const std::size_t all_bytes = kept_count_ * size_of(output_.type);
  measure::with_room("option `outputs`: \"" + output_.name + "\"", all_bytes, rank, [&] {
    kept_ = device_ != nullptr
                ? device_->memory_to_compare(output_.data, all_bytes)
                : std::shared_ptr<std::byte>(new std::byte[all_bytes], std::default_delete<std::byte[]>());
  });
}

void ExpectedOutput::take() {
  const std::size_t size = size_of(output_.type);
  for (const Piece& piece : pieces_) {
    copy(kept_.get() + piece.kept_at, static_cast<const std::byte*>(output_.data) + piece.first * size,
         piece.count * size, device_);
  }
  const std::vector<BlockSum> all = sums();
  std::uint64_t filled = 0;
  for (const BlockSum& block : all) {
    unwritten_ += block.nan_count;
    filled += block.filled_count;
  }
  if (!measure::is_floating(output_.type)) {  // of integers, all bits set is also a value
    unwritten_ = filled == output_.count ? filled : 0;
  }
  if (sampled()) {
    sums_ = all;
  }
  relative_ = output_.relative.value_or(measure::default_tolerance(output_.type));
  absolute_ = output_.absolute.value_or(relative_ == 0 ? 0 : relative_ * usual_magnitude());
}

void ExpectedOutput::plan_pieces(std::size_t kept_bytes) {
  const std::size_t size = size_of(output_.type);
  const std::size_t count = output_.count;
  if (kept_bytes >= output_.bytes()) {
    if (count > 0) {
      pieces_.push_back({0, count, 0});
    }
    kept_count_ = count;
    return;
  }
  const std::size_t piece_count = std::max<std::size_t>(2, kept_bytes / piece_bytes);
  const std::size_t each = std::min(piece_bytes / size, count / piece_count);
  for (std::size_t i = 0; i < piece_count; ++i) {  // the first and the last element are among them
    const auto share = static_cast<double>(i) / static_cast<double>(piece_count - 1);
    const auto first = static_cast<std::size_t>(share * static_cast<double>(count - each));
    pieces_.push_back({i + 1 == piece_count ? count - each : first, each, kept_count_ * size});
    kept_count_ += each;
  }
}

/// The median, so that a mask of huge values does not allow large errors of the others.
double ExpectedOutput::usual_magnitude() const {
  constexpr std::size_t most_looks = 64;
  constexpr std::size_t most_each = 1024;
  const std::size_t size = size_of(output_.type);
  const std::size_t each = std::min(most_each, kept_count_);
  const std::size_t looks = each == 0 ? 0 : std::min(most_looks, kept_count_ / each);
  std::vector<std::byte> some(each * size);
  std::vector<double> magnitudes;
  for (std::size_t look = 0; look < looks; ++look) {
    copy(some.data(), kept_.get() + kept_count_ / looks * look * size, some.size(), device_);
    for (std::size_t i = 0; i < each; ++i) {
      const double magnitude = std::abs(measure::element(some.data(), output_.type, i));
      if (magnitude > 0 && std::isfinite(magnitude)) {
        magnitudes.push_back(magnitude);
      }
    }
  }
  if (magnitudes.empty()) {
    return 0;
  }
  const auto middle = magnitudes.begin() + static_cast<std::ptrdiff_t>(magnitudes.size() / 2);
  std::nth_element(magnitudes.begin(), middle, magnitudes.end());
  return *middle;
}

std::vector<BlockSum> ExpectedOutput::sums() const {
  if (device_ != nullptr) {
    return device_->sums(output_.data, output_.count, output_.type, block_elements);
  }
  std::vector<BlockSum> sums;
  const auto* const data = static_cast<const std::byte*>(output_.data);
  for (std::size_t first = 0; first < output_.count; first += block_elements) {
    sums.push_back(measure::sum_of(data + first * size_of(output_.type), output_.type,
                                   std::min(block_elements, output_.count - first)));
  }
  return sums;
}

std::string ExpectedOutput::element_text(std::size_t element, const std::byte* kept) const {
  const std::size_t size = size_of(output_.type);
  std::array<std::byte, sizeof(double)> got{};
  std::array<std::byte, sizeof(double)> expected{};
  copy(got.data(), static_cast<const std::byte*>(output_.data) + element * size, size, device_);
  copy(expected.data(), kept, size, device_);
  return "element " + std::to_string(element) + " is " +
         text_of(measure::element(got.data(), output_.type, 0)) + " instead of " +
         text_of(measure::element(expected.data(), output_.type, 0));
}

std::string ExpectedOutput::difference() const {
  const std::string in_kept = difference_in_kept();
  const std::string found = in_kept.empty() ? difference_in_sums() : in_kept;
  return found.empty() ? "" : "output \"" + output_.name + "\": " + found;
}

std::string ExpectedOutput::difference_in_kept() const {
  const std::size_t size = size_of(output_.type);
  const detail::Tolerance tolerance{relative_, absolute_};
  Differences all;
  std::string first;
  for (const Piece& piece : pieces_) {
    const std::byte* const data = static_cast<const std::byte*>(output_.data) + piece.first * size;
    const std::byte* const expected = kept_.get() + piece.kept_at;
    const Differences found = device_ != nullptr
                                  ? device_->compare(data, expected, piece.count, output_.type, tolerance)
                                  : measure::compare(data, expected, piece.count, output_.type, tolerance);
    if (found.count > 0 && all.count == 0) {
      first = element_text(piece.first + found.first, expected + found.first * size);
    }
    all.count += found.count;
    all.largest_error = std::max(all.largest_error, found.largest_error);
  }
  return all.count == 0 ? ""
                        : first + "; " + std::to_string(all.count) + " of " + std::to_string(kept_count_) +
                              (sampled() ? " samples" : " elements") + " differ, the largest error is " +
                              text_of(all.largest_error);
}

std::string ExpectedOutput::difference_in_sums() const {
  const std::vector<BlockSum> now = sums_.empty() ? std::vector<BlockSum>() : sums();
  for (std::size_t i = 0; i < now.size(); ++i) {
    const BlockSum& expected = sums_[i];
    const double error = std::abs(now[i].sum - expected.sum);
    const std::size_t count = std::min(block_elements, output_.count - i * block_elements);
    const double allowed = absolute_ * static_cast<double>(count) + relative_ * expected.magnitude;
    const bool right =
        exact() ? now[i].hash == expected.hash : now[i].not_finite == expected.not_finite && error <= allowed;
    if (!right) {
      return "the " + std::to_string(count) + " elements from element " + std::to_string(i * block_elements) +
             " on differ" + (exact() ? "" : ", the error of their sum is " + text_of(error));
    }
  }
  return "";
}

}  // namespace contextual::tuning
