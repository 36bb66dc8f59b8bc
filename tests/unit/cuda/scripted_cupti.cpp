#include "unit/cuda/scripted_cupti.hpp"

#include "contextual/cuda/cupti/cupti_session.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace contextual::test::cuda_test {
namespace {

ScriptedCupti* the_cupti = nullptr;

constexpr std::size_t aligned(std::size_t size) {
  return (size + 7) / 8 * 8;
}

std::size_t size_of(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return aligned(sizeof(CUpti_ActivityKernel10));
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return aligned(sizeof(CUpti_ActivityMemcpy6));
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return aligned(sizeof(CUpti_ActivityMemcpyPtoP4));
    default:
      return aligned(sizeof(CUpti_ActivityMemset4));
  }
}

CUpti_ActivityKind kind_of(Work::Kind kind) {
  switch (kind) {
    case Work::Kind::kernel:
      return CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    case Work::Kind::copy:
      return CUPTI_ACTIVITY_KIND_MEMCPY;
    case Work::Kind::peer_copy:
      return CUPTI_ACTIVITY_KIND_MEMCPY2;
    case Work::Kind::fill:
      break;
  }
  return CUPTI_ACTIVITY_KIND_MEMSET;
}

template <typename Record>
void write_as(std::uint8_t* place, const Work& work) {
  Record record{};
  record.kind = kind_of(work.kind);
  record.start = static_cast<std::uint64_t>(work.begin_ns);
  record.end = static_cast<std::uint64_t>(work.end_ns);
  record.deviceId = static_cast<std::uint32_t>(work.device);
  record.correlationId = work.correlation;
  std::memcpy(place, &record, sizeof record);
}

void write(std::uint8_t* place, const Work& work) {
  switch (work.kind) {
    case Work::Kind::kernel:
      return write_as<CUpti_ActivityKernel10>(place, work);
    case Work::Kind::copy:
      return write_as<CUpti_ActivityMemcpy6>(place, work);
    case Work::Kind::peer_copy:
      return write_as<CUpti_ActivityMemcpyPtoP4>(place, work);
    case Work::Kind::fill:
      return write_as<CUpti_ActivityMemset4>(place, work);
  }
}

}  // namespace

struct ScriptedCupti::Impl {
  mutable std::mutex mutex;
  CUpti_CallbackFunc callback = nullptr;
  void* user = nullptr;
  std::set<CUpti_CallbackId> watched;
  std::set<CUpti_ActivityKind> enabled;
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
  struct Buffer {
    std::uint8_t* memory = nullptr;
    std::size_t size = 0;
    std::size_t filled = 0;
  };
  std::vector<Buffer> out;
  std::set<std::uint8_t*> buffers;
  std::size_t dropped = 0;
  bool promised_zeroed = false;
  std::size_t dirty = 0;
};

namespace {

ScriptedCupti& it() {
  return ScriptedCupti::it();
}
ScriptedCupti::Impl& impl() {
  return it().impl();
}

void add_subscribing(cuda::Cupti& api) {
  api.cuptiSubscribe = [](CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback, void* user) {
    it().log().add("cuptiSubscribe");
    if (it().on_subscribe) {
      it().on_subscribe();
    }
    if (it().subscribe_result == CUPTI_SUCCESS) {
      const std::lock_guard lock(impl().mutex);
      *subscriber = reinterpret_cast<CUpti_SubscriberHandle>(&it());
      impl().callback = callback;
      impl().user = user;
    }
    return it().subscribe_result;
  };
  api.cuptiUnsubscribe = [](CUpti_SubscriberHandle) {
    it().log().add("cuptiUnsubscribe");
    const std::lock_guard lock(impl().mutex);
    impl().callback = nullptr;
    impl().watched.clear();
    return CUPTI_SUCCESS;
  };
  api.cuptiEnableCallback = [](std::uint32_t enable, CUpti_SubscriberHandle, CUpti_CallbackDomain domain,
                               CUpti_CallbackId id) {
    it().log().add("cuptiEnableCallback");
    if (domain != CUPTI_CB_DOMAIN_DRIVER_API) {
      return CUPTI_ERROR_INVALID_PARAMETER;
    }
    const std::lock_guard lock(impl().mutex);
    enable != 0 ? static_cast<void>(impl().watched.insert(id)) : static_cast<void>(impl().watched.erase(id));
    return CUPTI_SUCCESS;
  };
  api.cuptiGetResultString = [](CUptiResult code, const char** text) {
    *text = code == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
                ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
            : code == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
                                                          : "CUPTI_ERROR_UNKNOWN";
    return CUPTI_SUCCESS;
  };
  api.cuptiFinalize = [] {
    it().log().add("cuptiFinalize");
    return CUPTI_SUCCESS;
  };
}

void add_activities(cuda::Cupti& api) {
  api.cuptiActivityRegisterCallbacks = [](CUpti_BuffersCallbackRequestFunc request,
                                          CUpti_BuffersCallbackCompleteFunc complete) {
    it().log().add("cuptiActivityRegisterCallbacks");
    impl().request = request;
    impl().complete = complete;
    return CUPTI_SUCCESS;
  };
  api.cuptiActivitySetAttribute = [](CUpti_ActivityAttribute attribute, std::size_t* size, void* value) {
    it().log().add("cuptiActivitySetAttribute");
    if (attribute != CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER || *size != 1) {
      return CUPTI_ERROR_INVALID_PARAMETER;
    }
    const std::lock_guard lock(impl().mutex);
    impl().promised_zeroed = *static_cast<const std::uint8_t*>(value) != 0;
    return CUPTI_SUCCESS;
  };
  api.cuptiActivityEnable = [](CUpti_ActivityKind kind) {
    it().log().add("cuptiActivityEnable");
    const CUptiResult result = it().enable_result ? it().enable_result(kind) : CUPTI_SUCCESS;
    const std::lock_guard lock(impl().mutex);
    if (kind == CUPTI_ACTIVITY_KIND_KERNEL &&
        (it().application_records || impl().enabled.contains(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL))) {
      return CUPTI_ERROR_NOT_COMPATIBLE;
    }
    if (result == CUPTI_SUCCESS) {
      impl().enabled.insert(kind);
    }
    return result;
  };
  api.cuptiActivityDisable = [](CUpti_ActivityKind kind) {
    it().log().add("cuptiActivityDisable");
    const std::lock_guard lock(impl().mutex);
    impl().enabled.erase(kind);
    return CUPTI_SUCCESS;
  };
  api.cuptiActivityFlushAll = [](std::uint32_t) {
    it().log().add("cuptiActivityFlushAll");
    impl().dropped += std::exchange(it().dropped_of_next_buffer, 0);
    it().give_buffers_back();
    impl().dropped += std::exchange(it().dropped_at_next_flush, 0);
    return it().flush_result;
  };
  api.cuptiActivityGetNumDroppedRecords = [](CUcontext, std::uint32_t, std::size_t* dropped) {
    *dropped = std::exchange(impl().dropped, 0);
    return CUPTI_SUCCESS;
  };
  api.cuptiActivityGetNextRecord = [](std::uint8_t* buffer, std::size_t valid, CUpti_Activity** record) {
    std::uint8_t* next = buffer;
    if (*record != nullptr) {
      next = reinterpret_cast<std::uint8_t*>(*record) + size_of((*record)->kind);
    }
    *record = reinterpret_cast<CUpti_Activity*>(next);
    return next < buffer + valid ? CUPTI_SUCCESS : CUPTI_ERROR_MAX_LIMIT_REACHED;
  };
}

#define CHECK_IS_SCRIPTED(function)                                             \
  if (api.function == nullptr) {                                                \
    std::fprintf(stderr, "the scripted CUPTI has no function " #function "\n"); \
    std::abort();                                                               \
  }

cuda::Cupti whole_table() {
  cuda::Cupti api;
  add_subscribing(api);
  add_activities(api);
  CONTEXTUAL_CUPTI_FUNCTIONS(CHECK_IS_SCRIPTED)
  return api;
}

}  // namespace

ScriptedCupti::ScriptedCupti(ScriptedDriver& driver)
    : driver_(driver), impl_(std::make_unique<Impl>()), table_(whole_table()) {
  the_cupti = this;
  cuda::CuptiSession::forget_the_process();
  driver_.observe(this);
  replaced_ = std::make_unique<cuda::CuptiReplacement>(table_);
}

ScriptedCupti::~ScriptedCupti() {
  replaced_.reset();
  driver_.observe(nullptr);
  the_cupti = nullptr;
}

ScriptedCupti& ScriptedCupti::it() {
  return *the_cupti;
}

bool ScriptedCupti::subscribed() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->callback != nullptr;
}
std::set<CUpti_ActivityKind> ScriptedCupti::enabled() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->enabled;
}
std::set<std::uint8_t*> ScriptedCupti::buffers() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->buffers;
}
std::size_t ScriptedCupti::dirty_buffers() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->dirty;
}
bool ScriptedCupti::promised_zeroed() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->promised_zeroed;
}
std::size_t ScriptedCupti::buffers_out() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->out.size();
}

void ScriptedCupti::enter(CUpti_driver_api_trace_cbid call, std::uint32_t correlation, CUcontext context) {
  CUpti_CallbackData data{};
  data.callbackSite = CUPTI_API_ENTER;
  data.correlationId = correlation;
  data.context = context;
  call_back(call, data);
}

void ScriptedCupti::exit(CUpti_driver_api_trace_cbid call, std::uint32_t correlation, CUcontext context,
                         CUresult result) {
  CUpti_CallbackData data{};
  data.callbackSite = CUPTI_API_EXIT;
  data.functionReturnValue = &result;
  data.correlationId = correlation;
  data.context = context;
  call_back(call, data);
}

void ScriptedCupti::call_back(CUpti_driver_api_trace_cbid call, const CUpti_CallbackData& data) {
  CUpti_CallbackFunc callback = nullptr;
  void* user = nullptr;
  {
    const std::lock_guard lock(impl_->mutex);
    callback = impl_->watched.contains(call) ? impl_->callback : nullptr;
    user = impl_->user;
  }
  if (callback != nullptr) {
    callback(user, CUPTI_CB_DOMAIN_DRIVER_API, call, &data);
  }
}

void ScriptedCupti::done(const Work& work) {
  const Fate becomes = fate ? fate(work) : Fate::sound;
  const std::lock_guard lock(impl_->mutex);
  if (!impl_->enabled.contains(kind_of(work.kind)) || becomes == Fate::missing) {
    return;
  }
  Work told = work;
  if (becomes == Fate::zero_times) {
    told.begin_ns = told.end_ns = 0;
  } else if (becomes == Fate::ends_before_it_begins) {
    std::swap(told.begin_ns, told.end_ns);
  }
  const std::size_t size = size_of(kind_of(work.kind));
  if (impl_->out.empty() || impl_->out.back().filled + size > impl_->out.back().size) {
    Impl::Buffer fresh;
    std::size_t most_records = 0;
    impl_->request(&fresh.memory, &fresh.size, &most_records);
    if (fresh.memory == nullptr || fresh.size < size) {
      ++impl_->dropped;
      return;
    }
    const auto dirty = [](std::uint8_t byte) { return byte != 0; };
    impl_->dirty +=
        impl_->promised_zeroed && std::any_of(fresh.memory, fresh.memory + fresh.size, dirty) ? 1 : 0;
    impl_->buffers.insert(fresh.memory);
    impl_->out.push_back(fresh);
  }
  Impl::Buffer& buffer = impl_->out.back();
  write(buffer.memory + buffer.filled, told);
  buffer.filled += size;
}

void ScriptedCupti::give_buffers_back() {
  std::vector<Impl::Buffer> full;
  {
    const std::lock_guard lock(impl_->mutex);
    full = std::exchange(impl_->out, {});
  }
  for (const Impl::Buffer& buffer : full) {
    impl_->complete(nullptr, 0, buffer.memory, buffer.size, buffer.filled);
  }
}

}  // namespace contextual::test::cuda_test
