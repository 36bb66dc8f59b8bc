#include "contextual/cuda/api/shared_library.hpp"

#include <dlfcn.h>

namespace contextual::cuda {

SharedLibrary::SharedLibrary(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) {
      problem_.clear();
      return;
    }
    if (const char* error = dlerror(); error != nullptr) {
      problem_ = error;
    }
  }
}

void* SharedLibrary::symbol(const char* name) const noexcept {
  return handle_ == nullptr ? nullptr : dlsym(handle_, name);
}

}  // namespace contextual::cuda
