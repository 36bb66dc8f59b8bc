#include "contextual/cuda/kernel/include_scan.hpp"

#include "support/catch.hpp"
#include "support/engine.hpp"

namespace contextual::test::include_scan_test {

using namespace cuda;

namespace fs = std::filesystem;

namespace {

void write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

SourceScan scan(const CudaSource& source, const std::vector<CudaVariant>& variants = {}) {
  return scan_source(source, source_text(source), CompilerInput(source), variants);
}

std::uint64_t digest(const CudaSource& source) {
  return scan(source).digest;
}

}  // namespace

TEST_CASE("include scan: a change in a header of a header changes the digest") {
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

TEST_CASE("include scan: embedded headers and options count, headers that nobody includes do not") {
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

TEST_CASE("include scan: headers that include each other end") {
  CudaSource source = CudaSource::text("k.cu", "#include \"a.h\"\n");
  source.header("a.h", "#include \"b.h\"\n").header("b.h", "#include \"a.h\"\n");
  CHECK(digest(source) != 0);
}

TEST_CASE("include scan: every file that the compiler may take counts, wherever options name its folder") {
  const TemporaryDirectory folder;
  const CudaSource source = CudaSource::text("k.cu", "/* first */ #include <a.h>\n# \\\ninclude \"b.h\"\n");
  for (const std::string name : {"a.h", "b.h"}) {
    for (const std::string option : {"-I", "-I=", "--include-path="}) {
      CudaSource with_option = source;
      with_option.option(option + folder.path().string());
      fs::remove(folder.path() / name);
      const std::uint64_t missing = digest(with_option);
      write(folder.path() / name, "#define A 1\n");
      CHECK(digest(with_option) != missing);
    }
  }
  const std::vector<CudaVariant> variants{{.function = "k", .options = {"-I", folder.path().string()}}};
  const std::uint64_t before = scan(source, variants).digest;
  write(folder.path() / "a.h", "#define A 2\n");
  CHECK(scan(source, variants).digest != before);
  // A later folder, too: which one comes first depends on the compiler.
  CudaSource in_two = source;
  in_two.include_directory(folder.path() / "first").include_directory(folder.path() / "second");
  write(folder.path() / "second/a.h", "#define A 3\n");
  const std::uint64_t of_second = digest(in_two);
  write(folder.path() / "first/a.h", "#define A 4\n");
  const std::uint64_t of_both = digest(in_two);
  CHECK(of_both != of_second);
}

TEST_CASE("include scan: a header that a macro names counts, whoever defines the macro") {
  const TemporaryDirectory folder;
  const auto source_with = [&](const std::string& text) {
    CudaSource source = CudaSource::text("k.cu", text);
    source.include_directory(folder.path());
    return source;
  };
  const auto changes = [&](const CudaSource& source, const std::vector<CudaVariant>& variants = {}) {
    write(folder.path() / "tile.h", "#define TILE 1\n");
    write(folder.path() / "names.h", "#define LATER <tile.h>\n");
    const SourceScan before = scan(source, variants);
    write(folder.path() / "tile.h", "#define TILE 2\n");
    CHECK(before.not_followed.empty());
    return scan(source, variants).digest != before.digest;
  };
  CHECK(changes(source_with("#define H \"tile.h\"\n#include H\n")));
  CHECK(changes(source_with("#define G <tile.h> // which\n#define H G\n#include H // one\n")));
  CHECK(changes(source_with("#include \"names.h\"\n#include LATER\n")));
  CHECK(changes(source_with("#if A\n#define H <none.h>\n#else\n#define H <tile.h>\n#endif\n#include H\n")));
  CHECK(changes(source_with("#include H\n").option("-DH=<tile.h>")));
  CHECK(changes(source_with("#include H\n"), {{.function = "k", .defines = {{"H", "\"tile.h\""}}}}));
  CHECK(changes(source_with("").option("--pre-include=tile.h")));
  CHECK_FALSE(changes(source_with("#define H \"none.h\"\n#include H\n")));
  CHECK_FALSE(changes(source_with("#ifdef H\n#include H\n#endif\n")));
}

TEST_CASE("include scan: an include that takes a compiler is told") {
  const auto not_followed = [](const std::string& text) {
    return scan(CudaSource::text("k.cu", text)).not_followed;
  };
  CHECK(not_followed("#define NAME(x) #x\n#include NAME(a.h)\n") == "#include NAME(a.h)");
  CHECK(not_followed("#define NAME(x) #x\n#define H NAME(a.h)\n#include H\n") == "#include H");
  CHECK(not_followed("#define DIR sub\n#define H <DIR/a.h>\n#include H\n") == "#include H");
  CHECK(not_followed("#define H H\n#include H\n") == "#include H");
  CHECK(not_followed("#include <a.h>\n#define INCLUDE(x) #x\n").empty());
}

TEST_CASE("include scan: headers of the toolkit's folder cccl count by its version") {
  const TemporaryDirectory cccl;
  const fs::path version = cccl.path() / "cuda/std/__cccl/version.h";
  const auto digest_with = [&](const std::string& name) {
    const CudaSource source = CudaSource::text("k.cu", "#include <" + name + ">\n");
    return scan_source(source, source.embedded(), CompilerInput(source, cccl.path()), {}).digest;
  };
  write(version, "#define CCCL_VERSION 3000001\n");
  write(cccl.path() / "cuda/std/array", "// large\n");
  const std::uint64_t of_array = digest_with("cuda/std/array");
  const std::uint64_t of_other = digest_with("cuda/std/none");
  write(version, "#define CCCL_VERSION 3000002\n");
  CHECK(digest_with("cuda/std/array") != of_array);
  CHECK(digest_with("cuda/std/none") == of_other);
}

TEST_CASE("source_text: a file that cannot be read is named") {
  CHECK_THROWS_AS(source_text(CudaSource::file("/nowhere/k.cu")), InvalidArgument);
}

}  // namespace contextual::test::include_scan_test
