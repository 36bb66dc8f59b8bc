#pragma once

/// \file
/// Kernels on streams that do not disturb each other.

#include "search/made_up/model.hpp"

namespace search_replay::made_up {

/// Problem p is on stream p modulo `stream_count`. The makespan is the longest stream, so the best assignment
/// has the fastest config of every kernel.
class StreamsModel final : public Model {
 public:
  StreamsModel(std::vector<Kernel> kernels, std::size_t stream_count);

  std::optional<Times> times(const Assignment& assignment) const override;
  double best_ns() const override;

 private:
  double longest_stream_ns(const std::vector<double>& own_ns) const;

  std::size_t stream_count_;
};

}  // namespace search_replay::made_up
