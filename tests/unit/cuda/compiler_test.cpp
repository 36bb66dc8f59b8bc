#include "contextual/cuda/compiler.hpp"

#include "contextual/cuda/nvrtc.hpp"
#include "support/catch.hpp"
#include "unit/autotuner/support.hpp"

#include <contextual/error.hpp>

#include <cstring>

using namespace contextual;
using namespace contextual::cuda;

namespace {

/// A compiler of one program at a time that can be told to fail.
struct ScriptedNvrtc {
  static inline bool fails = false;
  static inline int compilations = 0;
  static inline std::vector<std::string> options;
  static inline std::string name;

  static Nvrtc table() {
    fails = false;
    compilations = 0;
    Nvrtc api;
    api.nvrtcVersion = [](int* major, int* minor) { return *major = 13, *minor = 0, NVRTC_SUCCESS; };
    api.nvrtcGetErrorString = [](nvrtcResult) { return "NVRTC_ERROR_COMPILATION"; };
    api.nvrtcCreateProgram = [](nvrtcProgram* program, const char*, const char*, int, const char* const*,
                                const char* const*) {
      *program = reinterpret_cast<nvrtcProgram>(&compilations);
      return NVRTC_SUCCESS;
    };
    api.nvrtcDestroyProgram = [](nvrtcProgram*) { return NVRTC_SUCCESS; };
    api.nvrtcAddNameExpression = [](nvrtcProgram, const char* expression) {
      name = expression;
      return NVRTC_SUCCESS;
    };
    api.nvrtcCompileProgram = [](nvrtcProgram, int count, const char* const* texts) {
      options.assign(texts, texts + count);
      ++compilations;
      return fails ? NVRTC_ERROR_COMPILATION : NVRTC_SUCCESS;
    };
    api.nvrtcGetProgramLogSize = [](nvrtcProgram, std::size_t* size) { return *size = 11, NVRTC_SUCCESS; };
    api.nvrtcGetProgramLog = [](nvrtcProgram, char* log) {
      return std::memcpy(log, "no such y\n", 11), NVRTC_SUCCESS;
    };
    api.nvrtcGetLoweredName = [](nvrtcProgram, const char*, const char** lowered) {
      *lowered = name.c_str();
      return NVRTC_SUCCESS;
    };
    api.nvrtcGetCUBINSize = [](nvrtcProgram, std::size_t* size) { return *size = 4, NVRTC_SUCCESS; };
    api.nvrtcGetCUBIN = [](nvrtcProgram, char* code) { return std::memcpy(code, "code", 4), NVRTC_SUCCESS; };
    return api;
  }
};

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
  CHECK(Compiler(source, cache.path()).compile(variant, {90}).code == "code");
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
