#include "contextual/cuda/kernel/include_scan.hpp"

#include "support/catch.hpp"
#include "support/engine.hpp"

#include <contextual/error.hpp>

#include <fstream>

namespace include_scan_test {

using namespace contextual;
using namespace contextual::cuda;
using engine_test::TemporaryDirectory;

namespace {

void write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

std::uint64_t digest(const CudaSource& source) {
  return source_digest(source, source_text(source));
}

}  // namespace

TEST_CASE("include scan: a change in a header of a header changes the digest", "[unit]") {
  const TemporaryDirectory folder;
  write(folder.path() / "k.cu", "#include \"a.h\"\n");
  write(folder.path() / "a.h", "  #  include <sub/b.h>\n#if 0\n#include \"never.h\"\n#endif\n");
  write(folder.path() / "inc/sub/b.h", "#define B 1\n");
  CudaSource source = CudaSource::file(folder.path() / "k.cu");
  source.include_directory(folder.path() / "inc");
  const std::uint64_t before = digest(source);
  CHECK(digest(source) == before);
  write(folder.path() / "inc/sub/b.h", "#define B 2\n");
  const std::uint64_t after = digest(source);
  CHECK(after != before);
  write(folder.path() / "never.h", "// conditions are not looked at\n");
  CHECK(digest(source) != after);
}

TEST_CASE("include scan: embedded headers and options count, headers that nobody includes do not", "[unit]") {
  const std::string text = "#include \"h.h\"\n__global__ void k() {}\n";
  CudaSource source = CudaSource::text("k.cu", text);
  source.header("h.h", "#define H 1\n");
  CudaSource other = CudaSource::text("k.cu", text);
  other.header("h.h", "#define H 2\n");
  CHECK(digest(source) != digest(other));
  const std::uint64_t before = digest(source);
  source.header("unused.h", "#define U 1\n");
  CHECK(digest(source) == before);
  source.option("--use_fast_math");
  CHECK(digest(source) != before);
}

TEST_CASE("include scan: headers that include each other end", "[unit]") {
  CudaSource source = CudaSource::text("k.cu", "#include \"a.h\"\n");
  source.header("a.h", "#include \"b.h\"\n").header("b.h", "#include \"a.h\"\n");
  CHECK(digest(source) != 0);
}

TEST_CASE("source_text: a file that cannot be read is named", "[unit]") {
  CHECK_THROWS_AS(source_text(CudaSource::file("/nowhere/k.cu")), InvalidArgument);
}

}  // namespace include_scan_test
