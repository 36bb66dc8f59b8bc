#pragma once

#include "support/catch.hpp"

#include <dlfcn.h>

namespace contextual::test {

/// Returns the launcher of a test module, which stays loaded.
template <typename Launcher>
Launcher* launcher_of(const char* module) {
  void* const library = ::dlopen(module, RTLD_NOW | RTLD_LOCAL);
  REQUIRE(library != nullptr);
  void* const launcher = ::dlsym(library, "contextual_test_launch");
  REQUIRE(launcher != nullptr);
  return reinterpret_cast<Launcher*>(launcher);
}

}  // namespace contextual::test
