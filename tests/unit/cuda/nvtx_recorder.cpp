/// \file
/// A tool that NVTX loads because NVTX_INJECTION64_PATH names it: appends a line for each range that begins
/// and ends in a domain to the file that NVTX_RECORDER_FILE names.

#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

std::FILE* file() {
  static std::FILE* const opened = [] {
    const char* name = std::getenv("NVTX_RECORDER_FILE");
    return std::fopen(name == nullptr ? "nvtx.txt" : name, "w");
  }();
  return opened;
}

std::string& domain_name() {
  static std::string name;
  return name;
}

nvtxDomainHandle_t create_domain(const char* name) {
  domain_name() = name;
  return reinterpret_cast<nvtxDomainHandle_t>(&domain_name());
}

int push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  std::fprintf(file(), "push [%s] %s (%llu)\n", reinterpret_cast<const std::string*>(domain)->c_str(),
               event->message.ascii, static_cast<unsigned long long>(event->payload.ullValue));
  std::fflush(file());
  return 0;
}

int pop(nvtxDomainHandle_t /*domain*/) {
  std::fputs("pop\n", file());
  std::fflush(file());
  return 0;
}

}  // namespace

/// Called by NVTX when the process uses it for the first time. 1: the tool works.
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t get_export_table) {
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(get_export_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (callbacks == nullptr || callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) == 0 ||
      size <= NVTX_CBID_CORE2_DomainCreateA) {
    return 0;
  }
  *table[NVTX_CBID_CORE2_DomainCreateA] = reinterpret_cast<NvtxFunctionPointer>(create_domain);
  *table[NVTX_CBID_CORE2_DomainRangePushEx] = reinterpret_cast<NvtxFunctionPointer>(push);
  *table[NVTX_CBID_CORE2_DomainRangePop] = reinterpret_cast<NvtxFunctionPointer>(pop);
  return 1;
}
