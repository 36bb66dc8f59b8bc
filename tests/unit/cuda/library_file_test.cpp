/// \file
/// Which build of a library would be loaded, without loading it.

#include "contextual/cuda/api/library_file.hpp"

#include "contextual/cuda/api/nvrtc.hpp"
#include "support/catch.hpp"
#include "support/engine.hpp"

#include <contextual/detail/storage/code_module.hpp>

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <link.h>

#include <iterator>

namespace contextual::cuda::library_file_test {

using detail::build_id_of;
using test::TemporaryDirectory;

namespace fs = std::filesystem;

TEST_CASE("file_of_library: the first name that the loader would find") {
  const TemporaryDirectory directory;
  const std::string there = CONTEXTUAL_TEST_MODULE_1;
  CHECK(file_of_library({(directory.path() / "none.so").string(), there}) == there);
  CHECK(file_of_library({"libcontextual_nobody_has.so.7"}).empty());
  // Of the C library, and so loaded.
  const fs::path c_library = file_of_library({"libc.so.6"});
  CHECK(build_id_of(c_library) ==
        detail::module_of(reinterpret_cast<const void*>(&::gnu_get_libc_version)).id);
}

TEST_CASE("file_of_library: what is not loaded is found where the loader then finds it") {
  const char* const seldom_loaded = "libnss_hesiod.so.2";
  if (::dlopen(seldom_loaded, RTLD_LAZY | RTLD_NOLOAD) != nullptr) {
    WARN("skipped: the process has loaded it");
    return;
  }
  const fs::path expected = file_of_library({seldom_loaded});
  void* const library = ::dlopen(seldom_loaded, RTLD_LAZY);
  if (library == nullptr) {
    CHECK(expected.empty());
    return;
  }
  const link_map* map = nullptr;
  REQUIRE(::dlinfo(library, RTLD_DI_LINKMAP, &map) == 0);
  CHECK(fs::canonical(expected) == fs::canonical(map->l_name));
}

TEST_CASE("file_in_cache: nothing from a damaged cache or one of another format") {
  std::ifstream file("/etc/ld.so.cache", std::ios::binary);
  const std::string cache(std::istreambuf_iterator<char>(file), {});
  CHECK(file_in_cache("libcontextual_nobody_has.so.7", cache).empty());
  CHECK(file_in_cache("libc.so.6", "").empty());
  CHECK(file_in_cache("libc.so.6", "ld.so-1.7.0" + cache).empty());
  CHECK(file_in_cache("libc.so.6", cache.substr(0, cache.size() / 8)).empty());
}

TEST_CASE("nvrtc: a build of the library or of its builtins is told from another one of the same version") {
  const TemporaryDirectory directory;
  const fs::path nvrtc = directory.path() / "libnvrtc.so.13";
  const fs::path builtins = directory.path() / "libnvrtc-builtins.so.13.0";
  const auto install = [](const char* from, const fs::path& to) {
    fs::copy_file(from, to, fs::copy_options::overwrite_existing);
  };
  install(CONTEXTUAL_TEST_MODULE_1, nvrtc);
  install(CONTEXTUAL_TEST_MODULE_1, builtins);
  const std::string first = nvrtc_identity_of(nvrtc);
  CHECK(first == "nvrtc " + build_id_of(nvrtc) + ", builtins " + build_id_of(builtins));
  install(CONTEXTUAL_TEST_MODULE_2, builtins);
  const std::string other_builtins = nvrtc_identity_of(nvrtc);
  CHECK(other_builtins != first);
  install(CONTEXTUAL_TEST_MODULE_2, nvrtc);
  install(CONTEXTUAL_TEST_MODULE_1, builtins);
  CHECK(nvrtc_identity_of(nvrtc) != first);
  CHECK(nvrtc_identity_of(nvrtc) != other_builtins);
}

}  // namespace contextual::cuda::library_file_test
