#pragma once

/// \file
/// How do_bench lets a timer that sees one stream see the others, too. Not part of the public interface; the
/// CUDA part implements it.

#include <contextual/export.hpp>

namespace contextual::detail {

/// Makes the calling thread's default stream wait for other streams. For one thread.
class CONTEXTUAL_API WorkGathering {
 public:
  WorkGathering() = default;
  WorkGathering(const WorkGathering&) = delete;
  WorkGathering& operator=(const WorkGathering&) = delete;
  virtual ~WorkGathering();

  /// What is put on the legacy default stream of the current context from now on waits, on the device, for
  /// all work of the process that was submitted before, on whatever stream. The host does not wait. Throws
  /// Error.
  virtual void gather() = 0;
};

}  // namespace contextual::detail
