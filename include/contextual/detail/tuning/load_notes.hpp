#pragma once

/// \file
/// What `load` says of a config that it accepts, and what it takes for it.

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

  /// Call it from `load` before something scarce is taken. Returns true if a tuning run tries the config: it
  /// calls `load` once more, outside of this, if it chooses the config, and what was tried only is given
  /// back.
  static bool tries() noexcept;
  bool tried() const noexcept { return tried_; }

 private:
  LoadNotes* before_;
  std::vector<std::string> texts_{};
  bool tried_ = false;
};

}  // namespace contextual::detail
