#include <contextual/detail/cuda/shared_library.hpp>

#include <dlfcn.h>

namespace contextual::detail {

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

SharedLibrary SharedLibrary::of_process(const char* symbol, const std::string& name,
                                        const std::vector<std::string>& others) {
  SharedLibrary present;
  present.handle_ = dlopen(nullptr, RTLD_NOW);
  if (present.symbol(symbol) != nullptr) {
    return present;
  }
  std::vector<std::string> known{name};
  known.insert(known.end(), others.begin(), others.end());
  for (const std::string& candidate : known) {
    present.handle_ = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (present.symbol(symbol) != nullptr) {
      return present;
    }
  }
  static_cast<void>(dlerror());  // to have none of them is no error
  return SharedLibrary({name});
}

void* SharedLibrary::symbol(const char* name) const noexcept {
  return handle_ == nullptr ? nullptr : dlsym(handle_, name);
}

}  // namespace contextual::detail
