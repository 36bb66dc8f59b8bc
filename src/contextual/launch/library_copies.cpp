#include "contextual/launch/library_copies.hpp"

#include <contextual/export.hpp>

#include <dlfcn.h>
#include <link.h>

#include <algorithm>

/// Every copy of the library has one at an address of its own.
extern "C" CONTEXTUAL_API const char contextual_library_anchor[] = "contextual";

namespace contextual::detail {
namespace {

// Inside the library the name could be bound to the first copy's symbol; a hidden alias is surely our own.
const char own_anchor = 0;

const void* object_base(const void* address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

int collect(dl_phdr_info* object, std::size_t, void* paths) {
  static_cast<std::vector<std::string>*>(paths)->emplace_back(object->dlpi_name);
  return 0;
}

}  // namespace

std::vector<std::string> other_library_copies() {
  std::vector<std::string> loaded;
  dl_iterate_phdr(collect, &loaded);
  const void* own_base = object_base(&own_anchor);
  std::vector<std::string> others;
  for (const std::string& path : loaded) {
    // RTLD_NOLOAD only takes a reference to what is there already.
    void* handle = dlopen(path.empty() ? nullptr : path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) {
      continue;
    }
    const void* anchor = dlsym(handle, "contextual_library_anchor");
    Dl_info info{};
    if (anchor != nullptr && dladdr(anchor, &info) != 0 && info.dli_fbase != own_base) {
      const std::string where = info.dli_fname;
      if (std::find(others.begin(), others.end(), where) == others.end()) {
        others.push_back(where);
      }
    }
    dlclose(handle);
  }
  return others;
}

}  // namespace contextual::detail
