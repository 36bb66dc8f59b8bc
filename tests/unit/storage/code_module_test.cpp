#include "support/modules/loaded.hpp"

#include <contextual/detail/storage/code_module.hpp>

#include <filesystem>
#include <fstream>

namespace code_module_test {

using namespace contextual::detail;
using contextual::test::launcher_of;

namespace {

using Launcher = void(const void*, int*);

CodeModule module_in(const char* file) {
  return module_of(reinterpret_cast<const void*>(launcher_of<Launcher>(file)));
}

void of_this_program() {}

}  // namespace

TEST_CASE("module_of: the build id of the program or shared library that code is in") {
  const CodeModule one = module_in(CONTEXTUAL_TEST_MODULE_1);
  const CodeModule two = module_in(CONTEXTUAL_TEST_MODULE_2);
  CHECK(one.name == std::filesystem::path(CONTEXTUAL_TEST_MODULE_1).filename());
  CHECK(one.id.size() == 40);
  CHECK(one.id == build_id_of(CONTEXTUAL_TEST_MODULE_1));
  CHECK(two.id == build_id_of(CONTEXTUAL_TEST_MODULE_2));
  CHECK(one.id != two.id);
  CHECK(module_in(CONTEXTUAL_TEST_MODULE_1).id == one.id);
  const CodeModule program = module_of(reinterpret_cast<const void*>(&of_this_program));
  CHECK(program.name == std::filesystem::read_symlink("/proc/self/exe").filename());
  CHECK(program.id != one.id);
  CHECK_FALSE(program.id.empty());
}

TEST_CASE("module_of: without a build id, a digest of the code, the same for equal files") {
  CHECK(build_id_of(CONTEXTUAL_TEST_MODULE_3).empty());
  const CodeModule without = module_in(CONTEXTUAL_TEST_MODULE_3);
  CHECK(without.id.starts_with("code "));
  const std::filesystem::path copy = std::string(CONTEXTUAL_TEST_MODULE_3) + ".copy";
  std::filesystem::copy_file(CONTEXTUAL_TEST_MODULE_3, copy,
                             std::filesystem::copy_options::overwrite_existing);
  const CodeModule same = module_in(copy.c_str());
  std::filesystem::remove(copy);
  CHECK(same.name != without.name);
  CHECK(same.id == without.id);
}

TEST_CASE("module_of: nothing for what no module has") {
  CHECK(module_of(nullptr).id.empty());
  const auto on_the_heap = std::make_unique<int>();
  CHECK(module_of(on_the_heap.get()).id.empty());
}

TEST_CASE("build_id_of: nothing for what is no library") {
  CHECK(build_id_of("/nowhere/at/all").empty());
  const std::filesystem::path text = std::string(CONTEXTUAL_TEST_MODULE_1) + ".txt";
  std::ofstream(text) << "\x7f"
                         "ELF and no more";
  CHECK(build_id_of(text).empty());
  std::filesystem::remove(text);
}

}  // namespace code_module_test
