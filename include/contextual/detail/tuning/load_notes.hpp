#pragma once

/// \file
/// What `load` says of a config that it accepts.

#include <contextual/export.hpp>

#include <string>
#include <vector>

namespace contextual::detail {

/// Gathers what is said on this thread while it lives.
class CONTEXTUAL_API LoadNotes {
 public:
  LoadNotes();
  LoadNotes(const LoadNotes&) = delete;
  LoadNotes& operator=(const LoadNotes&) = delete;
  ~LoadNotes();

  const std::vector<std::string>& texts() const noexcept { return texts_; }

  /// Call it from `load`. Nobody hears it outside of a tuning run.
  static void say(const std::string& text);

 private:
  LoadNotes* before_;
  std::vector<std::string> texts_{};
};

}  // namespace contextual::detail
