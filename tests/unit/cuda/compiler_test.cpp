#include "contextual/cuda/kernel/compiler.hpp"

#include "support/catch.hpp"
#include "support/engine.hpp"
#include "support/stderr_capture.hpp"
#include "unit/cuda/tuning_support.hpp"

namespace contextual::cuda::compiler_test {

using test::cuda_test::ScriptedNvrtc;

namespace fs = std::filesystem;

namespace {

bool has(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

}  // namespace

TEST_CASE("compiler: a variant is compiled once, then taken from the disk, also by another compiler") {
  const Nvrtc api = ScriptedNvrtc::table();
  const NvrtcReplacement replaced(api);
  const test::TemporaryDirectory cache;
  const CudaSource source = CudaSource::text("k.cu", "k");
  const CudaVariant variant{.function = "k<4>", .defines = {{"TILE", "4"}}, .options = {"-G"}};
  CHECK(Compiler(source, cache.path()).compile(variant, {90}).lowered_name == "k<4>");
  CHECK(has(ScriptedNvrtc::options, "--gpu-architecture=sm_90a"));
  CHECK(has(ScriptedNvrtc::options, "-G"));
  CHECK(Compiler(source, cache.path()).compile(variant, {90}).code == "code TILE 4");
  CHECK(ScriptedNvrtc::compilations == 1);
  Compiler(source, cache.path()).compile(variant, {80});
  Compiler(source, cache.path()).compile({.function = "k<8>"}, {90});
  Compiler(CudaSource::text("k.cu", "changed"), cache.path()).compile(variant, {90});
  CHECK(ScriptedNvrtc::compilations == 4);
}

TEST_CASE("compiler: configs that have the same variant, as those of a grid's size, share their code") {
  using test::cuda_test::BlockConfig;
  using test::cuda_test::BlockKernel;
  const test::cuda_test::ScriptedGpu gpu;
  BlockKernel::Definition definition = test::cuda_test::block_definition();
  definition.variant = [](const BlockConfig& config) {
    return CudaVariant{.function = "k", .defines = {{"LARGE", config.block > 100 ? "1" : "0"}}};
  };
  BlockKernel kernel(
      "shared_code", {{"BLOCK", &BlockConfig::block, {64, 96, 128, 256}}},
      [](const int& n) { return make_key(n); }, definition);
  CHECK(kernel.load(1) == kernel.load(0));
  CHECK(kernel.load(3) == kernel.load(2));
  CHECK(kernel.load(2) != kernel.load(0));
  CHECK(ScriptedNvrtc::compilations == 2);
  CHECK(test::tuned(test::cuda_test::options_with(cuda_cupti_timer), "shared_code",
                    [&] { kernel(gpu.stream, 1); })
            .problems.at(0)
            .configs.size() == 4);
  CHECK(ScriptedNvrtc::compilations == 2);
}

namespace {

/// Compiles once, lets `plant` change the file or folders of the code, and compiles again. Returns what was
/// said on stderr.
std::string said_after_planting(
    const std::function<void(const fs::path& cache, const fs::path& file)>& plant) {
  const Nvrtc api = ScriptedNvrtc::table();
  const NvrtcReplacement replaced(api);
  const test::TemporaryDirectory directory;
  const fs::path cache = directory.path() / "cache";
  const CudaSource source = CudaSource::text("k.cu", "k");
  const CudaVariant variant{.function = "k<4>", .defines = {{"TILE", "4"}}};
  Compiler(source, cache).compile(variant, {90});
  REQUIRE(Compiler(source, cache).compile(variant, {90}).code == "code TILE 4");
  REQUIRE(ScriptedNvrtc::compilations == 1);
  for (const auto& found : fs::directory_iterator(cache / "code")) {
    plant(cache, found.path());
    break;
  }
  const test::StderrCapture said;
  CHECK(Compiler(source, cache).compile(variant, {90}).code == "code TILE 4");
  CHECK(ScriptedNvrtc::compilations == 2);
  return said.text();
}

}  // namespace

TEST_CASE("compiler: planted code of another owner is named and compiled anew") {
  if (::geteuid() != 0) {
    WARN("skipped: only root can give a file to another user");
    return;
  }
  constexpr uid_t somebody_else = 12345;
  CHECK_THAT(said_after_planting([](const fs::path&, const fs::path& file) {
               REQUIRE(::chown(file.c_str(), somebody_else, static_cast<gid_t>(-1)) == 0);
             }),
             ContainsSubstring("it belongs to user 12345"));
}

TEST_CASE("compiler: code behind a link, or where others can write, is named and compiled anew") {
  CHECK_THAT(said_after_planting([](const fs::path& cache, const fs::path& file) {
               fs::rename(file, cache.parent_path() / "outside");
               fs::create_symlink(cache.parent_path() / "outside", file);
             }),
             ContainsSubstring("symbolic link"));
  CHECK_THAT(said_after_planting([](const fs::path& cache, const fs::path&) {
               fs::permissions(cache, fs::perms::others_write, fs::perm_options::add);
             }),
             ContainsSubstring("others can write it"));
}

TEST_CASE("compiler: what does not compile is a rejected config with the compiler's words") {
  const Nvrtc api = ScriptedNvrtc::table();
  const NvrtcReplacement replaced(api);
  ScriptedNvrtc::fails = true;
  ScriptedNvrtc::log = "no such y\n";
  const Compiler compiler(CudaSource::text("k.cu", "k"), {});
  CHECK(test::error_text<ConfigRejected>([&] {
          compiler.compile({.function = "k"}, {90});
        }).find("no such y") != std::string::npos);
}

TEST_CASE("compiler: what it warns of is in the log of the tuning, once for each config that is tried") {
  const test::cuda_test::ScriptedGpu gpu;
  const test::TemporaryDirectory logs;
  ScriptedNvrtc::log = "ptxas warning : a register\nis spilled\n\n";
  test::cuda_test::Block kernel("warned_of", {64, 128});
  Options options = test::cuda_test::options_with(cuda_cupti_timer);
  options.log_directory = logs.path();
  options.print = Print::configs;
  const test::StderrCapture printed;
  const RegionReport report = test::tuned(options, "warned_of", [&] {
    kernel(gpu.stream, 1);
    kernel(gpu.stream, 2);
  });
  CHECK(report.warnings.empty());
  CHECK(test::count_of(printed.text(), "config-1 {BLOCK: 128}: the compiler says:") == 1);
  const std::string said = test::text_of_file(logs.path() / "rank-0.jsonl");
  for (const std::string config : {"config-0 {BLOCK: 64}", "config-1 {BLOCK: 128}"}) {
    CHECK(test::count_of(said, "\"kernel \\\"warned_of\\\" " + config +
                                   ": the compiler says: ptxas warning : a register\\nis spilled\"") == 1);
  }
}

TEST_CASE("compiler: a source whose headers only the compiler knows is compiled anew, and that is said") {
  const Nvrtc api = ScriptedNvrtc::table();
  const NvrtcReplacement replaced(api);
  const test::TemporaryDirectory cache;
  const test::StderrCapture said;
  for (int i = 0; i < 2; ++i) {
    Compiler(CudaSource::text("by_macro.cu", "#define NAME(x) #x\n#include NAME(TILE.h)\n"), cache.path())
        .compile({.function = "k"}, {90});
  }
  CHECK(ScriptedNvrtc::compilations == 2);
  CHECK(test::count_of(said.text(), "'by_macro.cu' has \"#include NAME(TILE.h)\"") == 1);
}

TEST_CASE("architecture: generations from 9.0 on get the instructions that only they have") {
  CHECK(Architecture{80}.option() == "sm_80");
  CHECK(Architecture{90}.option() == "sm_90a");
}

}  // namespace contextual::cuda::compiler_test
