#include "contextual/cuda/timing/context_gathering.hpp"

#include "contextual/cuda/api/driver.hpp"
#include "contextual/cuda/cupti/active_contexts.hpp"
#include "contextual/cuda/timing/device_wait.hpp"

#include <contextual/detail/cuda/context_scope.hpp>

#include <vector>

namespace contextual::cuda {
namespace {

/// An event of each context. Cost of gathering: two driver calls for each.
class ContextGathering final : public detail::WorkGathering {
 public:
  ContextGathering() = default;
  ~ContextGathering() override {
    for (const Event& made : events_) {
      if (driver().cuCtxPushCurrent(made.context) == CUDA_SUCCESS) {  // else it is gone with its context
        driver().cuEventDestroy(made.event);
        CUcontext popped = nullptr;
        driver().cuCtxPopCurrent(&popped);
      }
    }
  }

  void add(CUcontext context) {
    const detail::ContextScope current(context);
    events_.reserve(events_.size() + 1);
    CUevent event = nullptr;
    CONTEXTUAL_CU(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    events_.push_back({context, event});
  }

  void gather() override {
    for (const Event& made : events_) {
      check_of_context(driver().cuCtxRecordEvent(made.context, made.event), "cuCtxRecordEvent");
    }
    for (const Event& made : events_) {
      CONTEXTUAL_CU(cuStreamWaitEvent(nullptr, made.event, CU_EVENT_WAIT_DEFAULT));
    }
  }

 private:
  struct Event {
    CUcontext context;
    CUevent event;
  };
  std::vector<Event> events_;
};

}  // namespace

std::unique_ptr<detail::WorkGathering> context_gathering() {
  if (driver().cuCtxRecordEvent == nullptr || others_may_capture()) {
    return nullptr;
  }
  auto gathering = std::make_unique<ContextGathering>();
  for (CUcontext context : active_contexts()) {
    gathering->add(context);
  }
  return gathering;
}

}  // namespace contextual::cuda
