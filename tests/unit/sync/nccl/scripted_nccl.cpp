#include "unit/sync/nccl/scripted_nccl.hpp"

#include <contextual/detail/sync/nccl_api.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <utility>

namespace contextual::test::nccl_test {
namespace {

/// One operation of all ranks of a communicator.
struct Slot {
  int posted = 0;
  std::map<int, std::string> sent;  ///< by rank, once its stream has come to it
  bool met = false;                 ///< all ranks were there together
};

/// The ranks of one id.
struct Group {
  int size = 1;
  std::vector<int> joined;
  bool aborted = false;  ///< by some rank, whose work has left the device
  std::map<int, Slot> slots;
};

}  // namespace

struct ScriptedNccl::State {
  explicit State(Script given) : script(std::move(given)) {}

  const Script script;
  std::mutex mutex;
  std::condition_variable changed;
  bool over = false;
  std::map<std::string, std::shared_ptr<Group>> groups;  ///< by id
  std::vector<std::unique_ptr<ncclComm>> communicators;
  std::vector<std::string> misuse;
  int destroyed = 0;
  int aborted = 0;
};

}  // namespace contextual::test::nccl_test

struct ncclComm {
  std::shared_ptr<contextual::test::nccl_test::ScriptedNccl::State> state;
  std::shared_ptr<contextual::test::nccl_test::Group> group;
  int rank = 0;
  int device = 0;
  bool blocks = false;
  bool of_application = false;
  bool finalized = false;
  bool gone = false;
  int polls_left = 0;
  int operations = 0;  ///< posted
};

namespace contextual::test::nccl_test {
namespace {

using State = ScriptedNccl::State;

std::mutex current_mutex;
std::shared_ptr<State> current_state;

std::shared_ptr<State> current() {
  const std::lock_guard lock(current_mutex);
  return current_state;
}

/// Notes a use of what is gone. The lock is held.
bool usable(ncclComm_t communicator, const char* call) {
  if (communicator->gone) {
    communicator->state->misuse.push_back(std::string(call) + " on a communicator that is gone");
  }
  return !communicator->gone;
}

bool all_joined(const ncclComm& communicator) {
  return static_cast<int>(communicator.group->joined.size()) == communicator.group->size;
}

/// The lock is held.
ncclResult_t state_of(ncclComm& communicator) {
  const Script& script = communicator.state->script;
  if (communicator.of_application && communicator.blocks) {
    return ncclSuccess;
  }
  if (communicator.finalized) {
    return script.finalize_never_ends || communicator.polls_left-- > 0 ? ncclInProgress : ncclSuccess;
  }
  if (script.init_never_ends || !all_joined(communicator)) {
    return ncclInProgress;
  }
  const int latest = communicator.operations - 1;
  if (latest >= 0 && script.async_error) {
    if (const ncclResult_t error = script.async_error(communicator.rank, latest); error != ncclSuccess) {
      return error;
    }
  }
  if (communicator.polls_left > 0) {
    --communicator.polls_left;
    return ncclInProgress;
  }
  const bool waits = latest >= 0 && script.waits_in_progress &&
                     communicator.group->slots[latest].posted < communicator.group->size;
  return waits ? ncclInProgress : ncclSuccess;
}

using Combine = std::function<std::string(const std::map<int, std::string>& sent)>;

/// Waits for the other ranks as long as the communicator blocks. Returns false when the test is over first.
bool wait_for_all(ncclComm& communicator, const Slot& slot, std::unique_lock<std::mutex>& lock) {
  State& state = *communicator.state;
  state.changed.wait(lock, [&] { return state.over || slot.posted == communicator.group->size; });
  return slot.posted == communicator.group->size;
}

ncclResult_t post(ncclComm_t communicator, const void* send, void* receive, std::size_t bytes,
                  CUstream stream, Combine combine) {
  const std::shared_ptr<State> state = communicator->state;
  std::unique_lock lock(state->mutex);
  const int number = communicator->operations;
  if (!usable(communicator, "a collective")) {
    return ncclInvalidArgument;
  }
  if (ScriptedGpu::device_of(ScriptedGpu::current()) != communicator->device) {
    state->misuse.emplace_back("another device was current");
  }
  if (!communicator->blocks && state_of(*communicator) != ncclSuccess) {
    state->misuse.emplace_back("an operation while the communicator was in progress");
    return ncclInvalidUsage;
  }
  if (state->script.post_result) {
    if (const ncclResult_t code = state->script.post_result(communicator->rank, number);
        code != ncclSuccess) {
      return code;
    }
  }
  const std::shared_ptr<Group> group = communicator->group;
  Slot& slot = group->slots[number];
  ++slot.posted;
  ++communicator->operations;
  communicator->polls_left = state->script.operation_polls;
  state->changed.notify_all();
  if (communicator->blocks && !wait_for_all(*communicator, slot, lock)) {
    return ncclRemoteError;
  }
  lock.unlock();
  enqueue(stream, [=, rank = communicator->rank, combine = std::move(combine)] {
    const std::lock_guard at_work(state->mutex);
    Slot& here = group->slots[number];
    here.sent.try_emplace(rank, static_cast<const char*>(send), bytes);
    here.met = here.met || (!group->aborted && static_cast<int>(here.sent.size()) == group->size);
    if (!here.met) {
      return false;
    }
    const std::string result = combine(here.sent);
    std::memcpy(receive, result.data(), result.size());
    return true;
  });
  return communicator->polls_left > 0 ? ncclInProgress : ncclSuccess;
}

std::string maximum(const std::map<int, std::string>& sent) {
  std::string result = sent.begin()->second;
  for (const auto& [rank, bytes] : sent) {
    for (std::size_t at = 0; at + sizeof(std::int64_t) <= result.size(); at += sizeof(std::int64_t)) {
      std::int64_t so_far = 0;
      std::int64_t other = 0;
      std::memcpy(&so_far, &result[at], sizeof so_far);
      std::memcpy(&other, &bytes.at(at), sizeof other);
      so_far = std::max(so_far, other);
      std::memcpy(&result[at], &so_far, sizeof so_far);
    }
  }
  return result;
}

std::string concatenation(const std::map<int, std::string>& sent) {
  std::string result;
  for (const auto& [rank, bytes] : sent) {
    result += bytes;
  }
  return result;
}

ncclResult_t unique_id(ncclUniqueId* id) {
  static std::atomic<int> next{1};
  std::memset(id, 0, sizeof *id);
  const std::string text = "id " + std::to_string(next.fetch_add(1));
  std::memcpy(id->internal, text.data(), text.size());
  return ncclSuccess;
}

ncclResult_t init(ncclComm_t* made, int size, ncclUniqueId id, int rank, ncclConfig_t* config) {
  const std::shared_ptr<State> state = current();
  if (state->script.on_config) {
    state->script.on_config(*config);
  }
  const std::lock_guard lock(state->mutex);
  auto& group = state->groups[std::string(id.internal, sizeof id.internal)];
  if (!group) {
    group = std::make_shared<Group>();
    group->size = size;
  }
  if (group->size != size || std::count(group->joined.begin(), group->joined.end(), rank) != 0) {
    return ncclInvalidUsage;
  }
  group->joined.push_back(rank);
  auto& communicator = state->communicators.emplace_back(std::make_unique<ncclComm>());
  communicator->state = state;
  communicator->group = group;
  communicator->rank = rank;
  communicator->device = ScriptedGpu::device_of(ScriptedGpu::current());
  communicator->blocks = config->blocking != 0;
  communicator->polls_left = state->script.init_polls;
  *made = communicator.get();
  return ncclInProgress;
}

ncclResult_t async_error(ncclComm_t communicator, ncclResult_t* result) {
  const std::lock_guard lock(communicator->state->mutex);
  *result = usable(communicator, "ncclCommGetAsyncError") ? state_of(*communicator) : ncclInvalidArgument;
  return ncclSuccess;
}

ncclResult_t finalize(ncclComm_t communicator) {
  const std::lock_guard lock(communicator->state->mutex);
  if (!usable(communicator, "ncclCommFinalize")) {
    return ncclInvalidArgument;
  }
  communicator->finalized = true;
  communicator->polls_left = communicator->state->script.finalize_polls;
  return ncclInProgress;
}

ncclResult_t destroy(ncclComm_t communicator) {
  State& state = *communicator->state;
  const std::lock_guard lock(state.mutex);
  if (!usable(communicator, "ncclCommDestroy")) {
    return ncclInvalidArgument;
  }
  if (!communicator->finalized || state_of(*communicator) != ncclSuccess) {
    state.misuse.emplace_back("ncclCommDestroy before ncclCommFinalize was over");
  }
  communicator->gone = true;
  ++state.destroyed;
  return ncclSuccess;
}

ncclResult_t abort(ncclComm_t communicator) {
  State& state = *communicator->state;
  {
    const std::lock_guard lock(state.mutex);
    if (!usable(communicator, "ncclCommAbort")) {
      return ncclInvalidArgument;
    }
    communicator->gone = true;
    communicator->group->aborted = true;
    ++state.aborted;
  }
  return state.script.on_abort ? state.script.on_abort(communicator->rank) : ncclSuccess;
}

void set_communicators(sync::Nccl& table) {
  table.ncclGetUniqueId = unique_id;
  table.ncclCommInitRankConfig = init;
  table.ncclCommGetAsyncError = async_error;
  table.ncclCommFinalize = finalize;
  table.ncclCommDestroy = destroy;
  table.ncclCommAbort = abort;
  table.ncclCommCount = [](ncclComm_t communicator, int* count) {
    *count = communicator->group->size;
    return ncclSuccess;
  };
  table.ncclCommUserRank = [](ncclComm_t communicator, int* rank) {
    *rank = communicator->rank;
    return ncclSuccess;
  };
  table.ncclCommCuDevice = [](ncclComm_t communicator, int* device) {
    *device = communicator->device;
    return ncclSuccess;
  };
}

sync::Nccl make_table() {
  sync::Nccl table;
  set_communicators(table);
  table.version = 22803;
  table.ncclGetVersion = [](int* version) {
    *version = 22803;
    return ncclSuccess;
  };
  table.ncclGetErrorString = [](ncclResult_t code) {
    return code == ncclRemoteError ? "remote process exited" : "scripted error";
  };
  table.ncclGetLastError = [](ncclComm_t communicator) { return communicator->state->script.last_error; };
  table.ncclAllReduce = [](const void* send, void* receive, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t operation, ncclComm_t communicator, cudaStream_t stream) {
    const bool right = type == ncclInt64 && operation == ncclMax;
    return right ? post(communicator, send, receive, count * sizeof(std::int64_t), stream, maximum)
                 : ncclInvalidArgument;
  };
  table.ncclAllGather = [](const void* send, void* receive, std::size_t count, ncclDataType_t type,
                           ncclComm_t communicator, cudaStream_t stream) {
    return type == ncclInt8 ? post(communicator, send, receive, count, stream, concatenation)
                            : ncclInvalidArgument;
  };
  table.ncclBroadcast = [](const void* send, void* receive, std::size_t count, ncclDataType_t type, int root,
                           ncclComm_t communicator, cudaStream_t stream) {
    return type == ncclInt8 ? post(communicator, send, receive, count, stream,
                                   [root](const std::map<int, std::string>& sent) { return sent.at(root); })
                            : ncclInvalidArgument;
  };
  return table;
}

}  // namespace

ScriptedNccl::ScriptedNccl(Script script) : state_(std::make_shared<State>(std::move(script))) {
  static const auto* const table = new sync::Nccl(make_table());
  // In place, and never destroyed.
  alignas(sync::NcclReplacement) static std::byte place[sizeof(sync::NcclReplacement)];
  static const auto* const replaced = new (place) sync::NcclReplacement(*table);
  static_cast<void>(replaced);
  // Never destroyed: communicators and their script know each other, and threads that are left alone use
  // both.
  static auto* const all = new std::vector<std::shared_ptr<State>>;
  const std::lock_guard lock(current_mutex);
  all->push_back(state_);
  current_state = state_;
}

ScriptedNccl::~ScriptedNccl() {
  const std::lock_guard lock(state_->mutex);
  state_->over = true;
  state_->changed.notify_all();
}

int ScriptedNccl::made() const {
  const std::lock_guard lock(state_->mutex);
  return static_cast<int>(state_->communicators.size());
}

int ScriptedNccl::destroyed() const {
  const std::lock_guard lock(state_->mutex);
  return state_->destroyed;
}

int ScriptedNccl::aborted() const {
  const std::lock_guard lock(state_->mutex);
  return state_->aborted;
}

std::vector<std::string> ScriptedNccl::misuse() const {
  const std::lock_guard lock(state_->mutex);
  return state_->misuse;
}

std::vector<ncclComm_t> ScriptedNccl::make_application(int size, bool blocks) {
  const std::lock_guard lock(state_->mutex);
  const auto group = std::make_shared<Group>();
  group->size = size;
  std::vector<ncclComm_t> ranks;
  for (int rank = 0; rank < size; ++rank) {
    group->joined.push_back(rank);
    auto& communicator = state_->communicators.emplace_back(std::make_unique<ncclComm>());
    communicator->state = state_;
    communicator->group = group;
    communicator->rank = rank;
    communicator->device = rank % ScriptedGpu::device_count;
    communicator->blocks = blocks;
    communicator->of_application = true;
    ranks.push_back(communicator.get());
  }
  return ranks;
}

}  // namespace contextual::test::nccl_test
