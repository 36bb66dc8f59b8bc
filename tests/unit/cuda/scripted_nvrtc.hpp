#pragma once

/// \file
/// A compiler that tests script: its machine code is the text of the macros in front of the source.

#include "contextual/cuda/api/nvrtc.hpp"

#include <cstring>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

namespace contextual::test::cuda_test {

struct ScriptedNvrtc {
  static inline bool fails = false;
  static inline int compilations = 0;
  static inline std::vector<std::string> options;  ///< of the latest one
  static inline std::string log;                   ///< of every one

  static cuda::Nvrtc table();

 private:
  struct Program {
    std::string name;
    std::string code;
  };
  static inline std::mutex mutex;
  static Program& of(nvrtcProgram program) { return *reinterpret_cast<Program*>(program); }
  static nvrtcResult compile(nvrtcProgram /*program*/, int count, const char* const* texts) {
    const std::lock_guard lock(mutex);
    options.assign(texts, texts + count);
    ++compilations;
    return fails ? NVRTC_ERROR_COMPILATION : NVRTC_SUCCESS;
  }
};

inline cuda::Nvrtc ScriptedNvrtc::table() {
  fails = false;
  log.clear();
  compilations = 0;
  cuda::Nvrtc api;
  api.nvrtcVersion = [](int* major, int* minor) { return *major = 13, *minor = 0, NVRTC_SUCCESS; };
  api.nvrtcGetErrorString = [](nvrtcResult) { return "NVRTC_ERROR_COMPILATION"; };
  api.nvrtcCreateProgram = [](nvrtcProgram* program, const char* text, const char*, int, const char* const*,
                              const char* const*) {
    *program = reinterpret_cast<nvrtcProgram>(new Program{"", "code"});
    std::istringstream lines(text);
    const std::string define = "#define ";
    for (std::string line; std::getline(lines, line) && line.starts_with(define);) {
      of(*program).code += " " + line.substr(define.size());
    }
    return NVRTC_SUCCESS;
  };
  api.nvrtcDestroyProgram = [](nvrtcProgram* program) {
    delete &of(*program);
    return NVRTC_SUCCESS;
  };
  api.nvrtcAddNameExpression = [](nvrtcProgram program, const char* expression) {
    of(program).name = expression;
    return NVRTC_SUCCESS;
  };
  api.nvrtcCompileProgram = compile;
  api.nvrtcGetProgramLogSize = [](nvrtcProgram, std::size_t* size) {
    return *size = log.size() + 1, NVRTC_SUCCESS;
  };
  api.nvrtcGetProgramLog = [](nvrtcProgram, char* to) {
    return std::memcpy(to, log.c_str(), log.size() + 1), NVRTC_SUCCESS;
  };
  api.nvrtcGetLoweredName = [](nvrtcProgram program, const char*, const char** lowered) {
    *lowered = of(program).name.c_str();
    return NVRTC_SUCCESS;
  };
  api.nvrtcGetCUBINSize = [](nvrtcProgram program, std::size_t* size) {
    return *size = of(program).code.size(), NVRTC_SUCCESS;
  };
  api.nvrtcGetCUBIN = [](nvrtcProgram program, char* code) {
    return std::memcpy(code, of(program).code.data(), of(program).code.size()), NVRTC_SUCCESS;
  };
  return api;
}

}  // namespace contextual::test::cuda_test
