#include "contextual/cuda/api/nvml.hpp"

#include <contextual/detail/cuda/function_table.hpp>
#include <contextual/detail/cuda/shared_library.hpp>

namespace contextual::cuda {
namespace {

/// `problem` stays empty in the base: to have no NVML is no error.
struct LoadedNvml : detail::Loaded<Nvml> {
  std::string absence;
};

void take_functions(const detail::SharedLibrary& library, Nvml& table) {
#define CONTEXTUAL_LOAD(function) \
  table.function = reinterpret_cast<decltype(table.function)>(library.symbol(#function));
  CONTEXTUAL_NVML_FUNCTIONS(CONTEXTUAL_LOAD)
#undef CONTEXTUAL_LOAD
  if (table.nvmlDeviceGetCurrentClocksEventReasons == nullptr) {
    table.nvmlDeviceGetCurrentClocksEventReasons =
        reinterpret_cast<decltype(table.nvmlDeviceGetCurrentClocksEventReasons)>(
            library.symbol("nvmlDeviceGetCurrentClocksThrottleReasons"));
  }
}

void load(LoadedNvml& loaded) {
  const detail::SharedLibrary library({"libnvidia-ml.so.1"});
  if (!library.loaded()) {
    loaded.absence = "no NVML: " + library.problem();
    return;
  }
  take_functions(library, loaded.table);
  const int code = loaded.table.nvmlInit_v2 == nullptr ? -1 : loaded.table.nvmlInit_v2();
  if (code != nvml_success) {
    const auto text = loaded.table.nvmlErrorString;
    loaded.absence =
        std::string("NVML does not start: ") + (text == nullptr || code < 0 ? "it is too old" : text(code));
    loaded.table = {};
  }
}

const LoadedNvml& loaded_nvml() {
  static const auto* const loaded = [] {
    auto* const fresh = new LoadedNvml;
    load(*fresh);
    return fresh;
  }();
  return *loaded;
}

constinit detail::TableInForce<Nvml> in_force;

}  // namespace

const Nvml& nvml() noexcept {
  return in_force.get(loaded_nvml);
}

std::string nvml_problem() noexcept {
  return in_force.replaced() ? std::string() : loaded_nvml().absence;
}

NvmlReplacement::NvmlReplacement(const Nvml& replacement) : saved_(in_force.replace(&replacement)) {}

NvmlReplacement::~NvmlReplacement() {
  in_force.replace(saved_);
}

}  // namespace contextual::cuda
