#include "contextual/cuda/api/library_file.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <system_error>

namespace contextual::cuda {
namespace {

namespace fs = std::filesystem;

struct CloseLibrary {
  void operator()(void* library) const noexcept { ::dlclose(library); }
};
using LibraryHandle = std::unique_ptr<void, CloseLibrary>;

fs::path loaded_file(const std::string& name) {
  const LibraryHandle library(::dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD));
  const link_map* map = nullptr;
  if (library == nullptr || ::dlinfo(library.get(), RTLD_DI_LINKMAP, &map) != 0) {
    return {};
  }
  return map->l_name;
}

bool is_there(const fs::path& file) {
  std::error_code ignored;
  return fs::exists(file, ignored);
}

/// Of a call from this library, in their order.
struct SearchPath {
  std::vector<fs::path> before_cache;
  std::vector<fs::path> after_cache;
};

SearchPath search_path() {
  SearchPath path;
  Dl_info self{};
  if (::dladdr(reinterpret_cast<const void*>(&search_path), &self) == 0) {
    return path;
  }
  LibraryHandle library(::dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD));
  if (library == nullptr) {  // the program itself
    library.reset(::dlopen(nullptr, RTLD_LAZY));
  }
  Dl_serinfo counts{};
  if (library == nullptr || ::dlinfo(library.get(), RTLD_DI_SERINFOSIZE, &counts) != 0) {
    return path;
  }
  const std::unique_ptr<std::byte[]> memory(new std::byte[counts.dls_size]);
  auto* const all = ::new (memory.get()) Dl_serinfo(counts);
  if (::dlinfo(library.get(), RTLD_DI_SERINFO, all) != 0) {
    return path;
  }
  const Dl_serpath* const directories = all->dls_serpath;
  for (unsigned i = 0; i < counts.dls_cnt; ++i) {
    constexpr unsigned of_the_system = 0x40;  // LA_SER_DEFAULT
    const bool later = (directories[i].dls_flags & of_the_system) != 0;
    (later ? path.after_cache : path.before_cache).emplace_back(directories[i].dls_name);
  }
  return path;
}

fs::path file_in(const std::vector<fs::path>& directories, const std::string& name) {
  for (const fs::path& directory : directories) {
    if (is_there(directory / name)) {
      return directory / name;
    }
  }
  return {};
}

fs::path file_named(const std::string& name) {
  if (fs::path file = loaded_file(name); !file.empty()) {
    return file;
  }
  if (name.find('/') != std::string::npos) {
    return is_there(name) ? fs::path(name) : fs::path();
  }
  const SearchPath path = search_path();
  fs::path file = file_in(path.before_cache, name);
  if (file.empty()) {
    std::ifstream cache("/etc/ld.so.cache", std::ios::binary);
    file = file_in_cache(name, std::string(std::istreambuf_iterator<char>(cache), {}));
  }
  return file.empty() ? file_in(path.after_cache, name) : file;
}

}  // namespace

fs::path file_of_library(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (fs::path file = file_named(name); !file.empty()) {
      return file;
    }
  }
  return {};
}

fs::path file_in_cache(const std::string& name, const std::string& cache) {
  // sysdeps/generic/dl-cache.h of glibc
  struct Header {
    char magic[20];
    std::uint32_t count;
    std::uint32_t strings_bytes;
    std::uint32_t unused[5];
  };
  struct Entry {
    std::int32_t flags;
    std::uint32_t name;
    std::uint32_t file;
    std::uint32_t unused;
    std::uint64_t hwcap;
  };
#if defined(__x86_64__)
  constexpr std::int32_t wanted = 0x0303;
#elif defined(__aarch64__)
  constexpr std::int32_t wanted = 0x0a03;
#else
  constexpr std::int32_t wanted = 0x0003;
#endif
  Header header{};
  if (cache.size() < sizeof header) {
    return {};
  }
  std::memcpy(&header, cache.data(), sizeof header);
  if (std::memcmp(header.magic, "glibc-ld.so.cache1.1", sizeof header.magic) != 0 ||
      header.count > (cache.size() - sizeof header) / sizeof(Entry)) {
    return {};
  }
  const auto text_at = [&](std::uint32_t at) {
    return at < cache.size() ? cache.substr(at, cache.find('\0', at) - at) : std::string();
  };
  for (std::uint32_t i = 0; i < header.count; ++i) {
    Entry entry{};
    std::memcpy(&entry, cache.data() + sizeof header + i * sizeof entry, sizeof entry);
    if (entry.flags == wanted && text_at(entry.name) == name && is_there(text_at(entry.file))) {
      return text_at(entry.file);
    }
  }
  return {};
}

}  // namespace contextual::cuda
