#include "contextual/cuda/kernel/compiler.hpp"

#include "contextual/cuda/api/nvrtc.hpp"
#include "contextual/cuda/kernel/compiler_log.hpp"
#include "contextual/cuda/kernel/cubin_cache.hpp"

#include <contextual/cuda/error.hpp>
#include <contextual/detail/storage/warning.hpp>
#include <contextual/error.hpp>

#include <algorithm>
#include <utility>

namespace contextual::cuda {
namespace {

/// An NVRTC program, destroyed with the object.
class Program {
 public:
  Program(const CompilerInput& input, const std::string& text) {
    std::vector<const char*> names;
    std::vector<const char*> texts;
    for (const CudaSource::Header& header : input.headers()) {
      names.push_back(header.name.c_str());
      texts.push_back(header.text.c_str());
    }
    CONTEXTUAL_NVRTC(nvrtcCreateProgram(&program_, text.c_str(), input.name().c_str(),
                                        static_cast<int>(names.size()), texts.data(), names.data()));
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() { nvrtc().nvrtcDestroyProgram(&program_); }

  nvrtcProgram get() const noexcept { return program_; }

  std::string log() const {
    std::size_t size = 0;
    CONTEXTUAL_NVRTC(nvrtcGetProgramLogSize(program_, &size));
    std::string log(size, '\0');
    CONTEXTUAL_NVRTC(nvrtcGetProgramLog(program_, log.data()));
    log.erase(std::find(log.begin(), log.end(), '\0'), log.end());
    return log;
  }

  std::string cubin() const {
    std::size_t size = 0;
    CONTEXTUAL_NVRTC(nvrtcGetCUBINSize(program_, &size));
    std::string code(size, '\0');
    CONTEXTUAL_NVRTC(nvrtcGetCUBIN(program_, code.data()));
    return code;
  }

 private:
  nvrtcProgram program_ = nullptr;
};

std::vector<std::string> options_of(const CudaSource& source, const CompilerInput& input,
                                    const CudaVariant& variant, const Architecture& architecture) {
  std::vector<std::string> options{"--gpu-architecture=" + architecture.option(), "--std=c++20",
                                   "--generate-line-info"};
  for (const std::filesystem::path& folder : input.folders()) {
    options.push_back("--include-path=" + folder.string());
  }
  options.insert(options.end(), source.options().begin(), source.options().end());
  options.insert(options.end(), variant.options.begin(), variant.options.end());
  if (!input.cccl().empty()) {
    options.push_back("--include-path=" + input.cccl().string());
  }
  return options;
}

/// The first lines of a compiler's log: enough to see what is wrong, not a screen of templates.
std::string head(const std::string& log) {
  constexpr std::size_t longest = 2000;
  return log.size() <= longest ? log : log.substr(0, longest) + "\n...";
}

}  // namespace

std::string Architecture::option() const {
  return "sm_" + std::to_string(compute_capability) + (compute_capability >= 90 ? "a" : "");
}

Compiler::Compiler(CudaSource source, std::filesystem::path cache, const std::vector<CudaVariant>& variants)
    : source_(std::move(source)),
      cache_(std::move(cache)),
      text_(source_text(source_)),
      input_(source_),
      scan_(scan_source(source_, text_, input_, variants)) {
  if (!scan_.not_followed.empty()) {
    cache_.clear();
    detail::warn_once(
        "'" + source_.name() + "' has \"" + scan_.not_followed +
        "\", whose file only the compiler knows: its machine code is not kept, and kept choices "
        "do not notice when that file changes. Write the file's name, or count up "
        "KernelOptions::version with it");
  }
}

std::string Compiler::key_text(const CudaVariant& variant, const Architecture& architecture) const {
  std::string text = "source " + input_.name() + " " + std::to_string(text_.size()) + " " +
                     std::to_string(scan_.digest) + "\ncompiler " + nvrtc_identity() + "\nfunction " +
                     variant.function;
  for (const auto& [name, value] : variant.defines) {
    text += "\ndefine ";
    text += name;
    text += ' ';
    text += value;
  }
  for (const std::string& option : options_of(source_, input_, variant, architecture)) {
    text += "\noption " + option;
  }
  return text;
}

Cubin Compiler::compile(const CudaVariant& variant, const Architecture& architecture) const {
  if (cache_.empty()) {
    return compile_now(variant, architecture);
  }
  const CubinCache cache(cache_);
  const std::string key = key_text(variant, architecture);
  if (auto found = cache.find(key)) {
    return *std::move(found);
  }
  Cubin cubin = compile_now(variant, architecture);
  cache.store(key, cubin);
  return cubin;
}

Cubin Compiler::compile_now(const CudaVariant& variant, const Architecture& architecture) const {
  const Program program(input_, input_.text_with(variant, text_));
  const nvrtcResult named = nvrtc().nvrtcAddNameExpression(program.get(), variant.function.c_str());
  check(named, "nvrtcAddNameExpression");
  const std::vector<std::string> options = options_of(source_, input_, variant, architecture);
  std::vector<const char*> pointers;
  pointers.reserve(options.size());
  for (const std::string& option : options) {
    pointers.push_back(option.c_str());
  }
  const nvrtcResult compiled =
      nvrtc().nvrtcCompileProgram(program.get(), static_cast<int>(pointers.size()), pointers.data());
  const std::string log = program.log();
  if (compiled != NVRTC_SUCCESS) {
    throw ConfigRejected("'" + source_.name() + "' does not compile (" +
                         nvrtc().nvrtcGetErrorString(compiled) + "):\n" +
                         broken_headers(log, input_, macro_names(source_, variant)) + head(log));
  }
  Cubin cubin;
  const char* lowered = nullptr;
  CONTEXTUAL_NVRTC(nvrtcGetLoweredName(program.get(), variant.function.c_str(), &lowered));
  cubin.lowered_name = lowered;
  cubin.code = program.cubin();
  cubin.warnings = head(log.substr(0, log.find_last_not_of(" \n") + 1));
  return cubin;
}

}  // namespace contextual::cuda
