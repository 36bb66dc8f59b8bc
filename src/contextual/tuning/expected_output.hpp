#pragma once

/// \file
/// What an output is expected to be: the results of one run.

#include <contextual/detail/measure/device_buffers.hpp>
#include <contextual/output.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace contextual::tuning {

/// So much of all outputs is kept as it is.
inline constexpr std::size_t most_kept_bytes = std::size_t{256} << 20;

/// Fills an output so that what is not written afterwards is NaN, or -1. Waits for it where it is a device's.
void fill_output(const Output& output);

/// A copy of an output, with which later results are compared, on the device that has the output where there
/// is room. Of a large one, it keeps samples, which are pieces that are spread evenly, and a sum for each
/// block of it.
///
/// The output is used between runs of the region, when no work is under way that uses it.
class ExpectedOutput {
 public:
  /// Finds memory for the copy. `kept_bytes`: it keeps about so much of it, and all if that is no less than
  /// its size. Throws Error where there is no room; `rank` is this one.
  ExpectedOutput(Output output, std::size_t kept_bytes, int rank);

  /// Takes the copy, before anything else is called.
  void take();

  /// Returns how the output differs from the copy beyond its tolerances; empty if it does not.
  std::string difference() const;

  /// Returns the number of elements that are as they were filled, or are NaN.
  std::size_t unwritten() const noexcept { return unwritten_; }
  std::size_t kept_count() const noexcept { return kept_count_; }
  /// Returns true if only samples and sums are kept.
  bool sampled() const noexcept { return kept_count_ < output_.count; }

 private:
  struct Piece {
    std::size_t first = 0;  ///< element
    std::size_t count = 0;
    std::size_t kept_at = 0;  ///< a byte of `kept_`
  };
  bool exact() const noexcept { return relative_ == 0 && absolute_ == 0; }
  void plan_pieces(std::size_t kept_bytes);
  double usual_magnitude() const;
  std::string difference_in_kept() const;
  std::string difference_in_sums() const;
  std::vector<detail::BlockSum> sums() const;
  std::string element_text(std::size_t element, const std::byte* kept) const;

  Output output_;
  const detail::DeviceBuffers* device_;  ///< null of the host's memory
  double relative_ = 0;
  double absolute_ = 0;
  std::vector<Piece> pieces_;
  std::shared_ptr<std::byte> kept_;
  std::size_t kept_count_ = 0;
  std::size_t unwritten_ = 0;
  std::vector<detail::BlockSum> sums_;  ///< of all blocks; empty if everything is kept
};

}  // namespace contextual::tuning
