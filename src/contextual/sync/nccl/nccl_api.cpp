#include <contextual/detail/cuda/function_table.hpp>
#include <contextual/detail/cuda/shared_library.hpp>
#include <contextual/detail/storage/machine.hpp>
#include <contextual/detail/sync/nccl_api.hpp>
#include <contextual/error.hpp>

namespace contextual::sync {
namespace {

/// The first with ncclCommInitRankConfig, and so with communicators that do not block.
constexpr int oldest_version = 21400;

const detail::Loaded<Nccl>& loaded_nccl() {
  static const auto* const loaded = [] {
    auto* const fresh = new detail::Loaded<Nccl>;
    // PyTorch's library may have NCCL in it.
    const auto library =
        detail::SharedLibrary::of_process("ncclGetVersion", "libnccl.so.2", {"libtorch_cuda.so"});
    if (!library.loaded()) {
      fresh->problem = "NCCL cannot be loaded: " + library.problem();
      return fresh;
    }
    fresh->take_if_there(library, "ncclGetVersion", fresh->table.ncclGetVersion);
    fresh->problem = start_nccl(fresh->table);
#define CONTEXTUAL_LOAD(function) fresh->take(library, #function, fresh->table.function);
    CONTEXTUAL_NCCL_FUNCTIONS(CONTEXTUAL_LOAD)
#undef CONTEXTUAL_LOAD
    fresh->take_if_there(library, "ncclGetLastError", fresh->table.ncclGetLastError);
    return fresh;
  }();
  return *loaded;
}

constinit detail::TableInForce<Nccl> in_force;

}  // namespace

const Nccl& nccl() {
  return in_force.get(loaded_nccl);
}

std::string nccl_problem_of_process() noexcept {
  return in_force.replaced() ? std::string() : loaded_nccl().problem;
}

std::string start_nccl(Nccl& table) {
  if (table.ncclGetVersion == nullptr || table.ncclGetVersion(&table.version) != ncclSuccess) {
    return "NCCL does not say which version it is";
  }
  if (table.version < oldest_version) {
    return "NCCL " + version_text(table.version) + " is too old: communicators that do not block need " +
           version_text(oldest_version);
  }
  detail::describe_machine("nccl", [text = version_text(table.version)] { return text; });
  return "";
}

NcclReplacement::NcclReplacement(const Nccl& replacement) : saved_(in_force.replace(&replacement)) {}

NcclReplacement::~NcclReplacement() {
  in_force.replace(saved_);
}

std::string version_text(int version) {
  const int scale = version < 10000 ? 1000 : 10000;  // NCCL_VERSION: the scale changed after 2.8
  return std::to_string(version / scale) + "." + std::to_string(version % scale / 100) + "." +
         std::to_string(version % 100);
}

std::string error_text(ncclResult_t code, ncclComm_t communicator) {
  const Nccl& api = nccl();
  const char* const text = api.ncclGetErrorString(code);
  std::string all = std::string(text == nullptr ? "unknown error" : text) + " (" +
                    std::to_string(static_cast<int>(code)) + ")";
  if (api.ncclGetLastError != nullptr && communicator != nullptr) {
    if (const char* const last = api.ncclGetLastError(communicator); last != nullptr && *last != '\0') {
      all += ": " + std::string(last);
    }
  }
  return all;
}

void check_nccl(ncclResult_t code, const char* call) {
  if (code != ncclSuccess) {
    throw CommunicationError("NCCL: " + std::string(call) + " failed: " + error_text(code), {});
  }
}

}  // namespace contextual::sync
