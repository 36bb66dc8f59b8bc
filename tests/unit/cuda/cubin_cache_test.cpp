#include "contextual/cuda/kernel/cubin_cache.hpp"

#include "support/catch.hpp"
#include "support/engine.hpp"

namespace contextual::test::cubin_cache_test {

using namespace cuda;

namespace {

std::filesystem::path only_file(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory / "code")) {
    files.push_back(entry.path());
  }
  REQUIRE(files.size() == 1);
  return files.front();
}

}  // namespace

TEST_CASE("cubin cache: gives back what was stored under the same key and nothing for another") {
  const TemporaryDirectory folder;
  const CubinCache cache(folder.path() / "made" / "here");
  const Cubin cubin{std::string("\x7f"
                                "ELF\0\n17\n",
                                8),
                    "_Z3addPf", "a register\nis spilled"};
  CHECK_FALSE(cache.find("key"));
  cache.store("key", cubin);
  const auto found = cache.find("key");
  REQUIRE(found);
  CHECK(found->code == cubin.code);
  CHECK(found->lowered_name == cubin.lowered_name);
  CHECK(found->warnings == cubin.warnings);
  CHECK_FALSE(cache.find("another key"));
}

TEST_CASE("cubin cache: a damaged or cut file counts as missing, whatever is wrong with it") {
  const TemporaryDirectory folder;
  const CubinCache cache(folder.path());
  cache.store("key", {std::string(300, 'c'), "name"});
  const std::filesystem::path file = only_file(folder.path());
  const std::string whole = text_of_file(file);
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << whole.substr(0, length);
    CHECK_FALSE(cache.find("key"));
  }
  for (std::size_t i = 0; i < whole.size(); i += 5) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    std::ofstream(file, std::ios::binary | std::ios::trunc) << changed;
    CHECK_FALSE(cache.find("key"));
  }
  std::ofstream(file, std::ios::binary | std::ios::trunc) << whole;
  CHECK(cache.find("key"));
}

TEST_CASE("cubin cache: leaves one file and no temporary ones, and is silent where it cannot write") {
  const TemporaryDirectory folder;
  const CubinCache cache(folder.path());
  cache.store("key", {"code", "name"});
  cache.store("key", {"newer code", "name"});
  only_file(folder.path());
  CHECK(cache.find("key")->code == "newer code");
  const CubinCache nowhere("/proc/no-directory-can-be-made-here");
  nowhere.store("key", {"code", "name"});
  CHECK_FALSE(nowhere.find("key"));
}

TEST_CASE("cubin cache: what others can have written is compiled anew") {
  const TemporaryDirectory folder;
  const CubinCache cache(folder.path());
  cache.store("key", {"code", "name"});
  std::filesystem::permissions(only_file(folder.path()), std::filesystem::perms::others_write,
                               std::filesystem::perm_options::add);
  CHECK_FALSE(cache.find("key"));
  cache.store("key", {"own code", "name"});
  CHECK(cache.find("key")->code == "own code");
}

}  // namespace contextual::test::cubin_cache_test
