#include "contextual/cuda/api/nvrtc.hpp"

#include "contextual/cuda/api/library_file.hpp"

#include <contextual/detail/cuda/function_table.hpp>
#include <contextual/detail/storage/code_module.hpp>
#include <contextual/error.hpp>

#include <cuda.h>
#include <dlfcn.h>

#include <set>
#include <system_error>
#include <vector>

namespace contextual::cuda {
namespace {

/// With the major version of the headers first: another one has another idea of the structures.
std::vector<std::string> names_of_nvrtc() {
  const std::string name = "libnvrtc.so." + std::to_string(CUDA_VERSION / 1000);
  return {name, "/usr/local/cuda/lib64/" + name, "libnvrtc.so"};
}

const detail::Loaded<Nvrtc>& loaded_nvrtc() {
  static const auto* const loaded = [] {
    auto* const fresh = new detail::Loaded<Nvrtc>;
    const detail::SharedLibrary library(names_of_nvrtc());
    if (!library.loaded()) {
      fresh->problem = "NVRTC, which compiles kernels at run time, cannot be loaded: " + library.problem();
      return fresh;
    }
#define CONTEXTUAL_LOAD(function) fresh->take(library, #function, fresh->table.function);
    CONTEXTUAL_NVRTC_FUNCTIONS(CONTEXTUAL_LOAD)
#undef CONTEXTUAL_LOAD
    return fresh;
  }();
  return *loaded;
}

constinit detail::TableInForce<Nvrtc> in_force;

std::string build_of(const std::filesystem::path& file) {
  const std::string id = detail::build_id_of(file);
  std::error_code unknown;
  return id.empty() ? std::to_string(std::filesystem::file_size(file, unknown)) + " bytes" : id;
}

/// Of a table that is in the process already.
std::string identity_of_table(const Nvrtc& table) {
  const auto* const code = reinterpret_cast<const void*>(table.nvrtcVersion);
  Dl_info info{};
  if (!in_force.replaced() && ::dladdr(code, &info) != 0) {
    return nvrtc_identity_of(info.dli_fname);
  }
  int major = 0;
  int minor = 0;
  check(table.nvrtcVersion(&major, &minor), "nvrtcVersion");
  return "nvrtc " + std::to_string(major) + "." + std::to_string(minor);
}

}  // namespace

std::string nvrtc_identity_of(const std::filesystem::path& file) {
  std::set<std::string> builtins;  // in a fixed order
  std::error_code unreadable;
  for (std::filesystem::directory_iterator beside(file.parent_path(), unreadable), end;
       !unreadable && beside != end; beside.increment(unreadable)) {
    if (beside->path().filename().string().starts_with("libnvrtc-builtins.so.")) {
      builtins.insert(build_of(beside->path()));
    }
  }
  std::string text = "nvrtc " + build_of(file) + ", builtins";
  for (const std::string& build : builtins) {
    text += " " + build;
  }
  return text;
}

std::string nvrtc_identity() {
  try {
    if (in_force.replaced()) {
      return identity_of_table(nvrtc());
    }
    static const std::string of_file = [] {
      const std::filesystem::path file = file_of_library(names_of_nvrtc());
      return file.empty() ? std::string() : nvrtc_identity_of(file);
    }();
    return of_file.empty() ? identity_of_table(nvrtc()) : of_file;
  } catch (const Error&) {  // there is none, which the first compilation says
    return {};
  }
}

std::filesystem::path cccl_folder_of(const std::filesystem::path& nvrtc_file) {
  namespace fs = std::filesystem;
  std::error_code unreadable;
  const fs::path real = fs::canonical(nvrtc_file, unreadable);
  for (const fs::path& folder :
       {nvrtc_file.parent_path().parent_path() / "include/cccl",
        real.parent_path().parent_path() / "include/cccl", fs::path("/usr/local/cuda/include/cccl")}) {
    if (folder.is_absolute() && fs::is_directory(folder / "cuda/std", unreadable)) {
      return folder;
    }
  }
  return {};
}

std::filesystem::path cccl_folder() {
  static const std::filesystem::path folder = cccl_folder_of(file_of_library(names_of_nvrtc()));
  return folder;
}

const Nvrtc& nvrtc() {
  return in_force.get(loaded_nvrtc);
}

NvrtcReplacement::NvrtcReplacement(const Nvrtc& replacement) : saved_(in_force.replace(&replacement)) {}

NvrtcReplacement::~NvrtcReplacement() {
  in_force.replace(saved_);
}

void check(nvrtcResult code, const char* call) {
  if (code != NVRTC_SUCCESS) {
    throw CudaError(std::string(call) + " failed: " + nvrtc().nvrtcGetErrorString(code),
                    static_cast<int>(code));
  }
}

}  // namespace contextual::cuda
