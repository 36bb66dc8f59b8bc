#pragma once

#include <string>
#include <vector>

namespace contextual::cuda {

/// A library that is loaded at run time and never unloaded, because its threads and callbacks may outlive all
/// users.
class SharedLibrary {
 public:
  /// Tries to load the names in order.
  explicit SharedLibrary(const std::vector<std::string>& names);

  bool loaded() const noexcept { return handle_ != nullptr; }
  /// Returns the message of dlopen for the last name, or an empty text if the library is loaded.
  const std::string& problem() const noexcept { return problem_; }
  /// Returns the address of a symbol, or null if there is none.
  void* symbol(const char* name) const noexcept;

 private:
  void* handle_ = nullptr;
  std::string problem_;
};

}  // namespace contextual::cuda
