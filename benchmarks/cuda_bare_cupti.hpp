#pragma once

/// \file
/// CUPTI without the tuner, to compare with.

#include <cupti.h>

namespace contextual::benchmarks {

/// CUPTI takes records of kernels, and does nothing else, while this object lives: the least that timing by
/// it costs. One at a time, not while a tuner runs, and only after one has been timed by CUPTI, whose library
/// is then in the process.
class BareCupti {
 public:
  /// Throws std::runtime_error.
  BareCupti();
  BareCupti(const BareCupti&) = delete;
  BareCupti& operator=(const BareCupti&) = delete;
  /// Takes CUPTI away. All work must be done.
  ~BareCupti();

 private:
  void end() noexcept;

  CUpti_SubscriberHandle subscriber_ = nullptr;
};

}  // namespace contextual::benchmarks
