#include "contextual/cuda/kernel/compiler.hpp"

#include "support/catch.hpp"
#include "support/engine.hpp"
#include "unit/cuda/scripted_nvrtc.hpp"

#include <contextual/error.hpp>

namespace compiler_test {

using namespace contextual;
using namespace contextual::cuda;
using cuda_test::ScriptedNvrtc;

namespace {

bool has(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

}  // namespace

TEST_CASE("compiler: a variant is compiled once, then taken from the disk, also by another compiler",
          "[unit]") {
  const Nvrtc api = ScriptedNvrtc::table();
  const NvrtcReplacement replaced(api);
  const engine_test::TemporaryDirectory cache;
  const CudaSource source = CudaSource::text("k.cu", "k");
  const CudaVariant variant{.function = "k<4>", .defines = {{"TILE", "4"}}, .options = {"-G"}};
  CHECK(Compiler(source, cache.path()).compile(variant, {90}).lowered_name == "k<4>");
  CHECK(has(ScriptedNvrtc::options, "--gpu-architecture=sm_90a"));
  CHECK(has(ScriptedNvrtc::options, "--define-macro=TILE=4"));
  CHECK(has(ScriptedNvrtc::options, "-G"));
  CHECK(Compiler(source, cache.path()).compile(variant, {90}).code == "code TILE=4");
  CHECK(ScriptedNvrtc::compilations == 1);
  Compiler(source, cache.path()).compile(variant, {80});
  Compiler(source, cache.path()).compile({.function = "k<8>"}, {90});
  Compiler(CudaSource::text("k.cu", "changed"), cache.path()).compile(variant, {90});
  CHECK(ScriptedNvrtc::compilations == 4);
}

TEST_CASE("compiler: what does not compile is a rejected config with the compiler's words", "[unit]") {
  const Nvrtc api = ScriptedNvrtc::table();
  const NvrtcReplacement replaced(api);
  ScriptedNvrtc::fails = true;
  const Compiler compiler(CudaSource::text("k.cu", "k"), {});
  CHECK(engine_test::error_text<ConfigRejected>([&] {
          compiler.compile({.function = "k"}, {90});
        }).find("no such y") != std::string::npos);
}

TEST_CASE("architecture: generations from 9.0 on get the instructions that only they have", "[unit]") {
  CHECK(Architecture{80}.option() == "sm_80");
  CHECK(Architecture{90}.option() == "sm_90a");
}

}  // namespace compiler_test
