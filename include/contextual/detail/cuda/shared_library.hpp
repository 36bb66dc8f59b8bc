#pragma once

#include <contextual/export.hpp>

#include <string>
#include <vector>

namespace contextual::detail {

/// A library that is loaded at run time and never unloaded, because its threads and callbacks may outlive all
/// users.
class CONTEXTUAL_API SharedLibrary {
 public:
  /// Tries to load the names in order.
  explicit SharedLibrary(const std::vector<std::string>& names);
  /// Prefers the copy with this symbol that the process has already: one that the program was linked to, then
  /// one that has been loaded as `name`, or as a part of one of `others`. Else it loads `name`.
  static SharedLibrary of_process(const char* symbol, const std::string& name,
                                  const std::vector<std::string>& others = {});

  bool loaded() const noexcept { return handle_ != nullptr; }
  /// Returns the message of dlopen for the last name, or an empty text if the library is loaded.
  const std::string& problem() const noexcept { return problem_; }
  /// Returns the address of a symbol, or null if there is none.
  void* symbol(const char* name) const noexcept;

 private:
  SharedLibrary() = default;

  void* handle_ = nullptr;
  std::string problem_;
};

}  // namespace contextual::detail
