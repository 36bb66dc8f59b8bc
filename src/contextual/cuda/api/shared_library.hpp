#pragma once

#include <string>
#include <vector>

namespace contextual::cuda {

/// A library that is loaded at run time and never unloaded: its threads and callbacks may outlive everything
/// here.
class SharedLibrary {
 public:
  /// Tries the names in order.
  explicit SharedLibrary(const std::vector<std::string>& names);

  bool loaded() const noexcept { return handle_ != nullptr; }
  /// What dlopen said of the last name; empty once loaded.
  const std::string& problem() const noexcept { return problem_; }
  /// Null when there is no such symbol.
  void* symbol(const char* name) const noexcept;

 private:
  void* handle_ = nullptr;
  std::string problem_;
};

}  // namespace contextual::cuda
