#include <contextual/error.hpp>
#include <contextual/kernels/host/row_flags.hpp>
#include <contextual/kernels/mpi/message_set.hpp>

#include <array>
#include <limits>
#include <set>
#include <string>
#include <thread>

namespace contextual::kernels {

namespace {

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) {
    return;
  }
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) {
    length = 0;
  }
  throw CommunicationError(
      std::string(call) + ": " + std::string(text.data(), static_cast<std::size_t>(length)), {});
}

int count_of(long count) {
  if (count < 0 || count > std::numeric_limits<int>::max()) {
    throw InvalidArgument("a message of " + std::to_string(count) + " floats; use smaller chunks");
  }
  return static_cast<int>(count);
}

}  // namespace

MessageSet::~MessageSet() {
  if (all_done()) {
    return;
  }
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (receives_[i] && requests_[i] != MPI_REQUEST_NULL) {
      MPI_Cancel(&requests_[i]);
    }
  }
  Deadline deadline = Deadline::after(std::chrono::milliseconds(100));
  for (int done = 0; done == 0 && !deadline.expired(); std::this_thread::yield()) {
    if (MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE) !=
        MPI_SUCCESS) {
      return;
    }
  }
}

std::size_t MessageSet::add(MPI_Request request, int peer, bool receives) {
  requests_.push_back(request);
  peers_.push_back(peer);
  receives_.push_back(receives);
  return requests_.size() - 1;
}

std::size_t MessageSet::receive(float* to, long count, int source, int tag) {
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Irecv(to, count_of(count), MPI_FLOAT, source, tag, communicator_, &request), "MPI_Irecv");
  return add(request, source, true);
}

std::size_t MessageSet::send(const float* from, long count, int destination, int tag) {
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Isend(from, count_of(count), MPI_FLOAT, destination, tag, communicator_, &request), "MPI_Isend");
  return add(request, destination, false);
}

const std::vector<std::size_t>& MessageSet::poll() {
  completed_.clear();
  if (all_done()) {
    return completed_;
  }
  indices_.resize(requests_.size());
  int count = 0;
  check(MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count, indices_.data(),
                     MPI_STATUSES_IGNORE),
        "MPI_Testsome");
  for (int i = 0; i < count; ++i) {  // MPI_UNDEFINED, if nothing is active, is negative
    completed_.push_back(static_cast<std::size_t>(indices_[static_cast<std::size_t>(i)]));
  }
  done_ += completed_.size();
  return completed_;
}

void MessageSet::pause(int pause_us, Deadline& deadline, const char* what) const {
  if (deadline.expired()) {
    std::set<int> waiting;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i] != MPI_REQUEST_NULL) {
        waiting.insert(peers_[i]);
      }
    }
    std::string ranks;
    for (const int rank : waiting) {
      ranks += " " + std::to_string(rank);
    }
    throw WaitFailed(std::string(what) + ": the time is up, and messages are outstanding from or to rank" +
                     ranks);
  }
  if (pause_us > 0) {
    std::this_thread::sleep_for(std::chrono::microseconds(pause_us));
  } else {
    std::this_thread::yield();
  }
}

MPI_Comm own_communicator(MPI_Comm communicator) {
  MPI_Comm duplicate = MPI_COMM_NULL;
  check(MPI_Comm_dup(communicator, &duplicate), "MPI_Comm_dup");
  check(MPI_Comm_set_errhandler(duplicate, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  return duplicate;
}

int chunk_count(long rows, int chunk) {
  constexpr long tags = 32'768;  // the standard promises tags up to 32767
  const long count = chunk < 1 ? tags + 1 : (rows + chunk - 1) / chunk;
  if (count > tags) {
    throw ConfigRejected(std::to_string(rows) + " rows cannot be sent in chunks of " + std::to_string(chunk));
  }
  return static_cast<int>(count);
}

}  // namespace contextual::kernels
