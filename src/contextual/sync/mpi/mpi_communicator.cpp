#include "contextual/sync/mpi/mpi_communicator.hpp"

#include "contextual/sync/mpi/mpi_check.hpp"
#include "contextual/sync/mpi/mpi_session.hpp"

#include <contextual/detail/sync/pause.hpp>
#include <contextual/error.hpp>

#include <unistd.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>

namespace contextual::sync {
namespace {

int count(std::size_t n) {
  if (n > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw InvalidArgument("a collective of the tuner has " + std::to_string(n) +
                          " elements, more than MPI's int can count");
  }
  return static_cast<int>(n);
}

std::string list(const std::vector<int>& ranks) {
  std::string text;
  for (const int rank : ranks) {
    text += (text.empty() ? "" : ", ") + std::to_string(rank);
  }
  return text;
}

}  // namespace

/// A collective and everything MPI may write to. Leaked when it does not complete.
struct MpiCommunicator::Operation {
  MPI_Request request = MPI_REQUEST_NULL;
  std::vector<std::int64_t> words;
  std::string sent;
  std::string received;
  std::vector<int> counts;
  std::vector<int> offsets;
};

MpiCommunicator::MpiCommunicator(MPI_Comm duplicate, std::chrono::milliseconds roll_call)
    : duplicate_(duplicate), roll_call_(duplicate), patience_(roll_call), process_(getpid()) {
  CONTEXTUAL_MPI(MPI_Comm_set_errhandler(duplicate_, MPI_ERRORS_RETURN));
  CONTEXTUAL_MPI(MPI_Comm_rank(duplicate_, &rank_));
  CONTEXTUAL_MPI(MPI_Comm_size(duplicate_, &size_));
  CONTEXTUAL_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &process_rank_));
  CONTEXTUAL_MPI(MPI_Comm_size(MPI_COMM_WORLD, &process_count_));
}

MpiCommunicator::~MpiCommunicator() {
  if (!failure_ && process_ == getpid() && mpi_usable_here()) {
    MPI_Comm_free(&duplicate_);
  }
}

std::string MpiCommunicator::describe() const {
  const std::string of = size_ == process_count_ ? "" : " of " + std::to_string(process_count_);
  return "MPI (" + std::to_string(size_) + of + (size_ == 1 && of.empty() ? " rank)" : " ranks)");
}

void MpiCommunicator::all_reduce_max(std::span<std::int64_t> values, Deadline deadline) {
  auto operation = std::make_unique<Operation>();
  std::vector<std::int64_t>& words = operation->words;
  words.assign(values.begin(), values.end());
  const int word_count = count(words.size());
  collective(operation, deadline, [&](MPI_Request* request) {
    CONTEXTUAL_MPI(
        MPI_Iallreduce(MPI_IN_PLACE, words.data(), word_count, MPI_INT64_T, MPI_MAX, duplicate_, request));
  });
  std::copy(words.begin(), words.end(), values.begin());
}

std::vector<std::string> MpiCommunicator::all_gather(std::string_view bytes, Deadline deadline) {
  auto operation = std::make_unique<Operation>();
  Operation& o = *operation;
  o.sent = bytes;
  o.words.assign(static_cast<std::size_t>(size_), 0);
  o.words[static_cast<std::size_t>(rank_)] = static_cast<std::int64_t>(bytes.size());
  collective(operation, deadline, [&](MPI_Request* request) {
    CONTEXTUAL_MPI(MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, o.words.data(), 1, MPI_INT64_T,
                                  duplicate_, request));
  });
  std::size_t total = 0;
  for (const std::int64_t length : o.words) {
    o.offsets.push_back(count(total));
    o.counts.push_back(count(static_cast<std::size_t>(length)));
    total += static_cast<std::size_t>(length);
  }
  o.received.assign(static_cast<std::size_t>(count(total)), '\0');
  collective(operation, deadline, [&](MPI_Request* request) {
    CONTEXTUAL_MPI(MPI_Iallgatherv(o.sent.data(), count(o.sent.size()), MPI_CHAR, o.received.data(),
                                   o.counts.data(), o.offsets.data(), MPI_CHAR, duplicate_, request));
  });
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < o.counts.size(); ++i) {
    parts.push_back(
        o.received.substr(static_cast<std::size_t>(o.offsets[i]), static_cast<std::size_t>(o.counts[i])));
  }
  return parts;
}

void MpiCommunicator::collective(std::unique_ptr<Operation>& operation, Deadline& deadline,
                                 const std::function<void(MPI_Request*)>& post) {
  if (failure_) {
    throw CommunicationError("this communicator is poisoned by an earlier failure: " + *failure_, missing_);
  }
  require_usable_mpi();
  ++collectives_;
  bool late = false;
  std::string what;
  try {
    // The others may have given up while this rank was elsewhere. The collective they waited in might even
    // complete here, and only here.
    late = roll_call_.called();
    if (!late) {
      post(&operation->request);
      if (wait(*operation, deadline)) {
        return;
      }
    }
  } catch (const CommunicationError& error) {
    what = error.what();
  }
  static_cast<void>(operation.release());  // MPI may still write to it
  if (what.empty()) {
    what = "rank " + std::to_string(rank_) +
           (late ? " came to collective " + std::to_string(collectives_) +
                       " of the tuner after other ranks had given up"
                 : ": the deadline expired in collective " + std::to_string(collectives_) +
                       " of the tuner, or another rank gave up in it");
  }
  poison(what, late);
}

bool MpiCommunicator::wait(Operation& operation, Deadline& deadline) {
  detail::Pause pause;
  for (;;) {
    int done = 0;
    CONTEXTUAL_MPI(MPI_Test(&operation.request, &done, MPI_STATUS_IGNORE));
    if (done != 0) {
      return true;
    }
    if (deadline.expired() || (pause.long_wait() && roll_call_.called())) {
      return false;
    }
    pause();
  }
}

void MpiCommunicator::poison(const std::string& what, bool late) {
  abandon_mpi();
  failure_ = what;  // before anything that may throw
  try {
    const MpiRollCall::Outcome outcome = roll_call_.call(late, patience_);
    missing_ = outcome.missing;
    if (!outcome.late.empty()) {
      *failure_ += "; arrived too late: " + list(outcome.late);
    }
  } catch (const CommunicationError& error) {
    *failure_ += "; the roll call failed too: " + std::string(error.what());
  }
  throw CommunicationError(*failure_, missing_);
}

MPI_Comm duplicate(MPI_Comm communicator, std::chrono::milliseconds timeout) {
  struct Pending {
    MPI_Comm result = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  auto pending = std::make_unique<Pending>();
  CONTEXTUAL_MPI(MPI_Comm_idup(communicator, &pending->result, &pending->request));
  Deadline deadline = Deadline::after(timeout);
  detail::Pause pause;
  for (int done = 0; done == 0; pause()) {
    CONTEXTUAL_MPI(MPI_Test(&pending->request, &done, MPI_STATUS_IGNORE));
    if (done == 0 && deadline.expired()) {
      static_cast<void>(pending.release());  // MPI may still write to it
      abandon_mpi();
      throw CommunicationError("MPI_Comm_idup did not complete in " + std::to_string(timeout.count()) +
                                   " ms: all ranks of the communicator must call this function",
                               {});
    }
  }
  return pending->result;
}

}  // namespace contextual::sync

namespace contextual {

std::shared_ptr<Communicator> mpi_communicator(MPI_Comm communicator, const MpiOptions& options) {
  sync::require_usable_mpi();
  if (communicator == MPI_COMM_NULL) {
    throw InvalidArgument(
        "mpi_communicator got MPI_COMM_NULL: this process is not in the group, so it makes no communicator "
        "for it");
  }
  int inter = 0;
  CONTEXTUAL_MPI(MPI_Comm_test_inter(communicator, &inter));
  if (inter != 0) {
    throw InvalidArgument(
        "mpi_communicator got an inter-communicator: merge its groups with MPI_Intercomm_merge");
  }
  return std::make_shared<sync::MpiCommunicator>(sync::duplicate(communicator, options.setup_deadline),
                                                 options.roll_call);
}

std::shared_ptr<Communicator> mpi_world(const MpiOptions& options) {
  static std::mutex mutex;
  static auto* const world =
      new std::shared_ptr<Communicator>;  // never destroyed: static tuners may be used late
  const std::lock_guard lock(mutex);
  if (!*world) {
    sync::ensure_mpi();
    *world = mpi_communicator(MPI_COMM_WORLD, options);
  }
  return *world;
}

}  // namespace contextual
