#include "contextual/cuda/api/driver.hpp"
#include "contextual/cuda/api/nvrtc.hpp"
#include "contextual/cuda/cupti/active_contexts.hpp"
#include "contextual/cuda/kernel/compiler.hpp"
#include "contextual/cuda/kernel/device_limits.hpp"
#include "contextual/cuda/kernel/devices_text.hpp"

#include <contextual/cache_directory.hpp>
#include <contextual/cuda/error.hpp>
#include <contextual/detail/cuda/context_scope.hpp>
#include <contextual/detail/cuda/cuda_kernel_core.hpp>
#include <contextual/detail/cuda/local_memory.hpp>
#include <contextual/detail/storage/machine.hpp>
#include <contextual/detail/tuning/load_notes.hpp>
#include <contextual/error.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace contextual::detail {

using namespace contextual::cuda;

namespace {

/// Calls `work(i)` for i in [0, count) on as many threads as there are cores, at most `count`, and returns
/// when all are done. `work` must not throw.
void in_parallel(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  const auto take = [&] {
    for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      work(i);
    }
  };
  std::vector<std::jthread> helpers;
  // Several ranks of a node are often given a part of its cores each.
  const auto cores = static_cast<std::size_t>(usable_processors(0));
  for (std::size_t i = 1; i < std::min(count, cores); ++i) {
    helpers.emplace_back(take);
  }
  take();
}

/// What is loaded in one context. Nodes of a list that only grows, so that launches walk it without a lock.
struct ContextNode {
  ContextNode(CUcontext c, std::size_t configs) : context(c), functions(configs) {}
  CUcontext context;
  std::vector<std::atomic<CUfunction>> functions;  ///< by config; null: not loaded
  ContextNode* next = nullptr;
};

struct Compiled {
  std::optional<Cubin> cubin;
  std::string problem;  ///< what the compiler said; empty: fine
};

CUcontext current_context() {
  CUcontext context = nullptr;
  CONTEXTUAL_CU(cuCtxGetCurrent(&context));
  if (context == nullptr) {
    throw contextual::CudaError("no CUDA context is current: call cudaSetDevice, or make one current",
                                CUDA_ERROR_INVALID_CONTEXT);
  }
  return context;
}

/// Once for every launch to come, so that none has to set an attribute: as much dynamic shared memory as the
/// device has, and clusters beyond the size that every device has. Whether a layout fits is asked of the
/// driver elsewhere.
void open_limits(CUfunction function) {
  const Driver& api = driver();
  CUdevice device = 0;
  int largest = 0;
  int fixed = 0;
  CONTEXTUAL_CU(cuCtxGetDevice(&device));
  CONTEXTUAL_CU(
      cuDeviceGetAttribute(&largest, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device));
  CONTEXTUAL_CU(cuFuncGetAttribute(&fixed, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function));
  // Where one of them is refused, the launches that need it are.
  static_cast<void>(
      api.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, largest - fixed));
  static_cast<void>(api.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
}

}  // namespace

struct CudaKernelCore::Impl {
  std::atomic<ContextNode*> contexts{nullptr};  ///< a list that launches walk, and that grows under `mutex`

  CudaSource source;
  std::function<std::vector<CudaVariant>()> make_variants;

  std::mutex expected_mutex;  ///< of `expected`; apart from `mutex`, which is held while code is loaded
  std::map<std::size_t, std::vector<std::pair<Key, CudaLayout>>> expected;  ///< by config

  std::mutex mutex;  ///< of everything below
  std::optional<Compiler> compiler;
  std::vector<CudaVariant> variants;  ///< by config
  std::vector<std::size_t> code_of;   ///< by config: the first one with the same variant
  std::map<int, std::vector<std::optional<Compiled>>> compiled;  ///< by compute capability, by first config

  ContextNode* find(CUcontext context) const noexcept {
    ContextNode* node = contexts.load(std::memory_order_acquire);
    while (node != nullptr && node->context != context) {
      node = node->next;
    }
    return node;
  }

  ContextNode& node_of(CUcontext context) {
    ContextNode* node = find(context);
    if (node == nullptr) {
      node =
          std::make_unique<ContextNode>(context, variants.size()).release();  // launches may read it for ever
      node->next = contexts.load(std::memory_order_relaxed);
      contexts.store(node, std::memory_order_release);
    }
    return *node;
  }

  void read_source() {
    if (!compiler) {
      variants = make_variants();
      code_of.clear();  // of an attempt that found no source
      const auto parts = [](const CudaVariant& v) { return std::tie(v.function, v.defines, v.options); };
      const auto before = [parts](const CudaVariant& a, const CudaVariant& b) { return parts(a) < parts(b); };
      std::map<CudaVariant, std::size_t, decltype(before)> firsts(before);
      for (std::size_t id = 0; id < variants.size(); ++id) {
        code_of.push_back(firsts.try_emplace(variants[id], id).first->second);
      }
      compiler.emplace(source, cache_directory(), variants);
    }
  }

  Compiled compile(std::size_t id, int capability) const {
    Compiled result;
    try {
      result.cubin = compiler->compile(variants[id], {capability});
    } catch (const std::exception& error) {
      result.problem = error.what();
    }
    return result;
  }

  const Compiled& compile_one(std::size_t id, int capability) {
    auto& results = compiled[capability];
    results.resize(variants.size());
    if (!results[id]) {
      results[id] = compile(id, capability);
    }
    return *results[id];
  }

  void compile_all(int capability) {
    auto& results = compiled[capability];
    results.resize(variants.size());
    std::vector<std::size_t> missing;
    for (std::size_t id = 0; id < results.size(); ++id) {
      if (code_of[id] == id && !results[id]) {
        missing.push_back(id);
      }
    }
    in_parallel(missing.size(),
                [&](std::size_t i) { results[missing[i]] = compile(missing[i], capability); });
  }

  /// In the current context.
  void load_for(std::size_t id, const Key& key) {
    const DeviceLimits limits = DeviceLimits::of(current_device());
    compile_all(limits.compute_capability);
    const CUfunction function = load(id, limits.compute_capability);
    const std::optional<CudaLayout> layout = expected_layout(id, key);
    const std::string problem = layout ? layout_problem(function, *layout, limits) : "";
    if (!problem.empty()) {
      throw ConfigRejected(problem);
    }
    reserve_local_memory(function);
    say_warnings(id, limits.compute_capability);
  }

  static void reserve_local_memory(CUfunction function) {
    int bytes = 0;
    CONTEXTUAL_CU(cuFuncGetAttribute(&bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, function));
    detail::reserve_local_memory(static_cast<std::size_t>(bytes));
  }

  void say_warnings(std::size_t id, int capability) {
    const Compiled& code = compile_one(code_of[id], capability);
    if (!code.cubin->warnings.empty()) {
      LoadNotes::say("the compiler says: " + code.cubin->warnings);
    }
  }

  std::optional<CudaLayout> expected_layout(std::size_t id, const Key& key) {
    const std::lock_guard lock(expected_mutex);
    for (const auto& [of_key, layout] : expected[id]) {
      if (of_key == key) {
        return layout;
      }
    }
    return std::nullopt;
  }

  CUfunction load(std::size_t id, int capability) {
    std::atomic<CUfunction>& place = node_of(current_context()).functions[id];
    if (CUfunction loaded = place.load(std::memory_order_acquire)) {
      return loaded;
    }
    if (code_of[id] != id) {
      CUfunction function = load(code_of[id], capability);
      place.store(function, std::memory_order_release);
      return function;
    }
    const Compiled& code = compile_one(id, capability);
    if (!code.cubin) {
      throw ConfigRejected(code.problem);
    }
    CUmodule module = nullptr;
    CONTEXTUAL_CU(cuModuleLoadData(&module, code.cubin->code.data()));
    CUfunction function = nullptr;
    CONTEXTUAL_CU(cuModuleGetFunction(&function, module, code.cubin->lowered_name.c_str()));
    CONTEXTUAL_CU(cuFuncLoad(function));  // now, whatever CUDA_MODULE_LOADING says
    open_limits(function);
    place.store(function, std::memory_order_release);
    return function;
  }
};

CudaKernelCore::CudaKernelCore(CudaSource source, std::function<std::vector<CudaVariant>()> variants)
    : impl_(std::make_unique<Impl>()) {
  impl_->source = std::move(source);
  impl_->make_variants = std::move(variants);
  describe_devices();
}

/// Code stays loaded: a launch of it may be in flight, and unloading waits for the device.
CudaKernelCore::~CudaKernelCore() {
  const ContextNode* node = impl_->contexts.load(std::memory_order_acquire);
  while (node != nullptr) {
    const std::unique_ptr<const ContextNode> owner(node);
    node = owner->next;
  }
}

std::string CudaKernelCore::source_text() const noexcept {
  try {
    const std::lock_guard lock(impl_->mutex);
    impl_->read_source();
    return std::to_string(impl_->compiler->text_digest()) + "\n" + nvrtc_identity();
  } catch (...) {
    return {};  // the first compilation says why
  }
}

void CudaKernelCore::expect(std::size_t config_id, const Key& key, const CudaLayout& layout) {
  const std::lock_guard lock(impl_->expected_mutex);
  auto& all = impl_->expected[config_id];
  const auto known =
      std::find_if(all.begin(), all.end(), [&](const auto& entry) { return entry.first == key; });
  if (known == all.end()) {
    all.emplace_back(key, layout);
  } else {
    known->second = layout;
  }
}

void CudaKernelCore::load_for(std::size_t config_id, const Key* key) {
  const std::lock_guard lock(impl_->mutex);
  for (CUcontext context : active_contexts()) {
    impl_->read_source();
    const detail::ContextScope scope(context);
    if (key != nullptr) {
      impl_->load_for(config_id, *key);
    } else {
      const int capability = DeviceLimits::of(current_device()).compute_capability;
      Impl::reserve_local_memory(impl_->load(config_id, capability));
      impl_->say_warnings(config_id, capability);
    }
  }
}

CUfunction CudaKernelCore::load(std::size_t config_id) {
  const std::lock_guard lock(impl_->mutex);
  impl_->read_source();
  return impl_->load(config_id, DeviceLimits::of(current_device()).compute_capability);
}

[[gnu::hot]] CudaKernelCore::Ready CudaKernelCore::ready(std::size_t config_id, CUstream stream) {
  // A stream belongs to one context, and the driver refuses a function of another one before anything
  // happens. So where the kernel is loaded in one context alone it need not be asked which is current.
  const ContextNode* only = impl_->contexts.load(std::memory_order_acquire);
  if (stream != nullptr && only != nullptr && only->next == nullptr) [[likely]] {
    if (CUfunction function = only->functions[config_id].load(std::memory_order_acquire)) [[likely]] {
      return {function, driver().cuLaunchKernelEx};
    }
  }
  return {nullptr, nullptr};
}

CUresult CudaKernelCore::launch_by_context(std::size_t config_id, CUstream stream, const CudaLayout& layout,
                                           void** parameters) {
  const Driver& api = driver();
  CUcontext context = nullptr;
  const CUresult code =
      stream == nullptr ? api.cuCtxGetCurrent(&context) : api.cuStreamGetCtx(stream, &context);
  if (code != CUDA_SUCCESS) [[unlikely]] {
    return code;
  }
  const ContextNode* node = impl_->find(context);
  CUfunction function =
      node == nullptr ? nullptr : node->functions[config_id].load(std::memory_order_acquire);
  if (function == nullptr) [[unlikely]] {
    if (context == nullptr) {
      load(config_id);  // says what is missing
    }
    const detail::ContextScope scope(context);
    load(config_id);
    function = impl_->find(context)->functions[config_id].load(std::memory_order_acquire);
  }
  const CudaLaunchConfig config(layout, stream);
  return api.cuLaunchKernelEx(config.get(), function, parameters, nullptr);
}

}  // namespace contextual::detail
