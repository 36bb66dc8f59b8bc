/// \file
/// What the toolkit's NVRTC makes of sources and variants. It needs no GPU.

#include "contextual/cuda/api/nvrtc.hpp"

#include "contextual/cuda/kernel/compiler.hpp"
#include "support/catch.hpp"
#include "support/engine.hpp"

#include <contextual/cuda/error.hpp>

namespace contextual::test::nvrtc_test {

using namespace cuda;

namespace fs = std::filesystem;

namespace {

bool has_nvrtc() {
  try {
    static_cast<void>(nvrtc());
    return true;
  } catch (const CudaUnavailable& missing) {
    WARN("skipped: " << missing.what());
    return false;
  }
}

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(fs::absolute(path).parent_path());
  std::ofstream(path) << text;
}

/// The process is in this folder while it lives.
class CurrentFolder {
 public:
  explicit CurrentFolder(const fs::path& folder) : before_(fs::current_path()) { fs::current_path(folder); }
  CurrentFolder(const CurrentFolder&) = delete;
  CurrentFolder& operator=(const CurrentFolder&) = delete;
  ~CurrentFolder() {
    std::error_code ignored;
    fs::current_path(before_, ignored);
  }

 private:
  fs::path before_;
};

constexpr int architecture = 90;

Cubin compiled(const CudaSource& source,
               const std::vector<std::pair<std::string, std::string>>& defines = {}) {
  return Compiler(source, {}).compile({.function = "k", .defines = defines}, {architecture});
}

std::string problem(const CudaSource& source,
                    const std::vector<std::pair<std::string, std::string>>& defines = {}) {
  return error_text<ConfigRejected>([&] { compiled(source, defines); });
}

/// A kernel that compiles with the right header alone, of which this is an including line.
std::string kernel_with(const std::string& include) {
  return include + "\nstatic_assert(TILE == 1);\nextern \"C\" __global__ void k(int* p) { *p = TILE; }\n";
}

}  // namespace

TEST_CASE("nvrtc: a header in the current directory is not taken for one of the source's") {
  ONLY_IF(has_nvrtc());
  const TemporaryDirectory folder;
  const CurrentFolder here(folder.path());
  write("tile.h", "#define TILE 2\n");
  write("kernels/tile.h", "#define TILE 1\n");
  const std::string text = kernel_with("#include \"tile.h\"");
  write("kernels/k.cu", text);
  CHECK(problem(CudaSource::file("kernels/k.cu")) == "[no error]");
  CHECK(problem(CudaSource::text("k.cu", text).include_directory("kernels")) == "[no error]");
  CHECK(problem(CudaSource::text("k.cu", kernel_with("#include \"all.h\""))
                    .header("all.h", " # include \"tile.h\"  // of the kernel\n")
                    .include_directory("kernels")) == "[no error]");
  CHECK_THAT(problem(CudaSource::text("k.cu", text)), ContainsSubstring("k.cu(1): catastrophic error"));
  write("sub/k.cu", text);
  CHECK_THAT(problem(CudaSource::file("sub/k.cu")), ContainsSubstring("sub/k.cu(1): catastrophic error"));
}

TEST_CASE("nvrtc: an embedded header stands before one of the disk, and its headers are beside none") {
  ONLY_IF(has_nvrtc());
  const TemporaryDirectory folder;
  write(folder.path() / "tile.h", "#define TILE 2\n");
  write(folder.path() / "k.cu", kernel_with("#include \"tile.h\""));
  CHECK(problem(CudaSource::file(folder.path() / "k.cu")
                    .header("tile.h", "#include \"more/value.h\"\n")
                    .header("more/value.h", "#define TILE 1\n")) == "[no error]");
}

TEST_CASE("nvrtc: paths are those of when the source was read, wherever the process has gone") {
  ONLY_IF(has_nvrtc());
  const TemporaryDirectory folder;
  write(folder.path() / "kernels/k.cu", kernel_with("#include \"tile.h\""));
  write(folder.path() / "headers/tile.h", "#define TILE 1\n");
  CudaSource source = CudaSource::file("kernels/k.cu");
  source.include_directory("headers");
  const CurrentFolder here(folder.path());
  const Compiler compiler(source, {});
  const CurrentFolder elsewhere("/");
  CHECK(error_text<ConfigRejected>([&] { compiler.compile({.function = "k"}, {architecture}); }) ==
        "[no error]");
}

TEST_CASE("nvrtc: parameters may have names that NVRTC's own header uses") {
  ONLY_IF(has_nvrtc());
  const std::vector<std::string> names{"T", "x", "y", "z", "v", "p", "ptr", "size", "type", "value"};
  std::vector<std::pair<std::string, std::string>> defines;
  std::string sum = "0";
  for (const std::string& name : names) {
    defines.emplace_back(name, "1");
    sum += " + " + name;
  }
  const std::string kernel = "template <int N>\n__global__ void k(int* q) {\n  *q = N + " + sum + ";\n}\n";
  const Compiler compiler(CudaSource::text("k.cu", kernel), {});
  CHECK(error_text<ConfigRejected>([&] {
          compiler.compile({.function = "k<size + T>", .defines = defines}, {architecture});
        }) == "[no error]");
  // Lines keep their numbers.
  CHECK_THAT(
      problem(CudaSource::text("\"a\\b\".cu", "\nextern \"C\" __global__ void k(int* q) {\n  wrong;\n}\n"),
              defines),
      ContainsSubstring("\"a\\b\".cu(3): error: identifier \"wrong\""));
}

TEST_CASE("nvrtc: a macro of a parameter that breaks a header is named with it") {
  ONLY_IF(has_nvrtc());
  const TemporaryDirectory folder;
  const std::string header = "template <typename T>\nstruct Box {\n  T value;\n};\n";
  write(folder.path() / "box.h", header);
  write(folder.path() / "k.cu",
        "#include \"box.h\"\nextern \"C\" __global__ void k(int* p) { *p = Box<int>{T}.value; }\n");
  const std::string of_file = problem(CudaSource::file(folder.path() / "k.cu"), {{"TILE", "3"}, {"T", "4"}});
  CHECK_THAT(of_file, ContainsSubstring("box.h\" uses the name \"T\", which is a macro of this config"));
  CHECK_THAT(of_file, ContainsSubstring("box.h(1): error"));
  CHECK_THAT(problem(CudaSource::text("k.cu", "#include \"box.h\"\n").header("box.h", header), {{"T", "4"}}),
             ContainsSubstring("Header \"box.h\" uses the name \"T\""));
  // Macros by option do reach NVRTC's own header.
  CHECK_THAT(problem(CudaSource::text("k.cu", "").option("-DT=4")),
             ContainsSubstring("uses the name \"T\", which is a macro"));
  CHECK_THAT(problem(CudaSource::text("k.cu", "int T = T;\n"), {{"T", "4"}}), !ContainsSubstring("Header"));
}

TEST_CASE("nvrtc: what the compiler ignores is a warning, also of code from the disk") {
  ONLY_IF(has_nvrtc());
  const TemporaryDirectory cache;
  const Compiler compiler(
      CudaSource::text(
          "k.cu",
          "extern \"C\" __global__ void __launch_bounds__(1024, MIN_BLOCKS) k(int* p) { *p = 1; }\n"
          "extern \"C\" __global__ void m(int* p) {\n"
          "  asm volatile(\"setmaxnreg.inc.sync.aligned.u32 232;\");\n  *p = 1;\n}\n"),
      cache.path());
  const auto warnings = [&](const std::string& function, const std::string& min_blocks) {
    return compiler.compile({.function = function, .defines = {{"MIN_BLOCKS", min_blocks}}}, {architecture})
        .warnings;
  };
  CHECK_THAT(warnings("m", "1"), ContainsSubstring("'setmaxnreg' ignored"));
  const std::string of_blocks = warnings("k", "4");
  CHECK_THAT(of_blocks, ContainsSubstring(".minnctapersm will be ignored"));
  CHECK(warnings("k", "4") == of_blocks);
  CHECK_THAT(Compiler(CudaSource::text("k.cu", "extern \"C\" __global__ void k(int* p) { *p = 1; }\n"), {})
                 .compile({.function = "k", .options = {"--maxrregcount=8"}}, {architecture})
                 .warnings,
             ContainsSubstring("register count of 8"));
  CHECK(compiled(CudaSource::text("k.cu", "extern \"C\" __global__ void k(int* p) { *p = 1; }\n"))
            .warnings.empty());
}

TEST_CASE("nvrtc: the C++ headers of the toolkit are on the include path") {
  ONLY_IF(has_nvrtc());
  if (cccl_folder().empty()) {
    WARN("skipped: the toolkit has no folder cccl");
    return;
  }
  CHECK(problem(CudaSource::text(
            "k.cu",
            "#include <cuda/barrier>\n#include <cuda/std/cstdint>\n"
            "extern \"C\" __global__ void k(cuda::std::uint32_t* p) {\n"
            "  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;\n"
            "  init(&barrier, blockDim.x);\n  barrier.arrive_and_wait();\n  *p = 1;\n}\n")) == "[no error]");
}

TEST_CASE("nvrtc: the toolkit's C++ headers are those beside the library") {
  const TemporaryDirectory folder;
  write(folder.path() / "real/lib/libnvrtc.so.13", "");
  write(folder.path() / "real/include/cccl/cuda/std/array", "");
  fs::create_directories(folder.path() / "link");
  fs::create_symlink(folder.path() / "real/lib", folder.path() / "link/lib64");
  CHECK(fs::equivalent(cccl_folder_of(folder.path() / "link/lib64/libnvrtc.so.13"),
                       folder.path() / "real/include/cccl"));
}

}  // namespace contextual::test::nvrtc_test
