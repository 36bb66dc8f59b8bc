#include "contextual/sync/nccl/nccl_communicator.hpp"

#include "contextual/sync/nccl/nccl_abort.hpp"
#include "contextual/sync/nccl/own_nccl.hpp"

#include <contextual/detail/sync/launcher.hpp>
#include <contextual/detail/sync/ongoing_run.hpp>
#include <contextual/error.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace contextual::sync {
namespace {

/// Of the buffer: what the tuner sends in one go, but for long texts.
constexpr std::size_t least_bytes = std::size_t{64} * 1024;
constexpr std::size_t bytes_per_rank = 1024;

std::string place_text(const NcclCommunicator::Place& place) {
  return "rank " + std::to_string(place.rank) + " of " + std::to_string(place.size);
}

int launched_rank_or(int rank) {
  const auto launched = detail::launched_rank();
  return launched ? launched->rank : rank;
}

}  // namespace

std::size_t NcclCommunicator::buffer_bytes(int size) noexcept {
  return std::max(least_bytes, static_cast<std::size_t>(size) * bytes_per_rank);
}

NcclCommunicator::NcclCommunicator(const ncclUniqueId& id, Place place,
                                   std::shared_ptr<detail::ExchangeBuffer> buffer, NcclOptions options,
                                   Deadline& deadline)
    : place_(place),
      options_(std::move(options)),
      process_rank_(launched_rank_or(place.rank)),
      process_(getpid()),
      buffer_(std::move(buffer)),
      nccl_(begin_own_nccl(id, place.rank, place.size, buffer_->context())),
      channel_(nccl_, *buffer_) {
  connect(deadline);
}

NcclCommunicator::~NcclCommunicator() {
  if (failure_) {
    return;
  }
  if (process_ != getpid() || !destroy_own_nccl(nccl_, buffer_->context(), grace())) {
    buffer_->abandon();
  }
}

std::string NcclCommunicator::describe() const {
  return "NCCL " + version_text(nccl().version) + " (" + std::to_string(place_.size) +
         (place_.size == 1 ? " rank)" : " ranks)");
}

std::chrono::milliseconds NcclCommunicator::grace() const {
  return options_.grace.value_or(detail::OngoingRun::latest_bounds().grace);
}

/// NCCL connects in the first collective, which takes about a second.
void NcclCommunicator::connect(Deadline& deadline) {
  try {
    std::int64_t word = 0;
    reduce_turn({&word, 1}, deadline);
  } catch (const Error& error) {
    buffer_->abandon();
    const std::string what =
        place_text(place_) + ": no communicator over NCCL could be made: " + error.what();
    const std::string words =
        give_up_set_up({nccl_, buffer_->context(), grace(), what, place_.rank, place_.size, {}});
    throw CommunicationError(what + words, {});
  }
}

void NcclCommunicator::reduce_turn(std::span<std::int64_t> values, Deadline& deadline) {
  const std::size_t bytes = values.size_bytes();
  std::memcpy(buffer_->host(), values.data(), bytes);
  channel_.run(
      {0, bytes},
      [&](std::byte* data, CUstream stream) {
        return nccl().ncclAllReduce(data, data, values.size(), ncclInt64, ncclMax, nccl_, stream);
      },
      {0, bytes}, deadline);
  std::memcpy(values.data(), buffer_->host(), bytes);
}

void NcclCommunicator::all_reduce_max(std::span<std::int64_t> values, Deadline deadline) {
  collective([&] {
    const std::size_t turn = buffer_->bytes() / sizeof(std::int64_t);
    for (std::size_t done = 0; done < values.size(); done += turn) {
      reduce_turn(values.subspan(done, std::min(turn, values.size() - done)), deadline);
    }
  });
}

std::string_view NcclCommunicator::gather_turn(std::string_view bytes, std::size_t bytes_each,
                                               Deadline& deadline) {
  const std::size_t own = static_cast<std::size_t>(place_.rank) * bytes_each;
  const std::size_t all = static_cast<std::size_t>(place_.size) * bytes_each;
  std::memcpy(buffer_->host() + own, bytes.data(), bytes.size());
  channel_.run(
      {own, bytes_each},
      [&](std::byte* data, CUstream stream) {
        return nccl().ncclAllGather(data + own, data, bytes_each, ncclInt8, nccl_, stream);
      },
      {0, all}, deadline);
  return {reinterpret_cast<const char*>(buffer_->host()), all};
}

std::vector<std::size_t> NcclCommunicator::gather_lengths(std::size_t length, Deadline& deadline) {
  const std::uint64_t word = length;
  const std::string_view all =
      gather_turn({reinterpret_cast<const char*>(&word), sizeof word}, sizeof word, deadline);
  std::vector<std::uint64_t> words(static_cast<std::size_t>(place_.size));
  std::memcpy(words.data(), all.data(), all.size());
  return {words.begin(), words.end()};
}

std::vector<std::string> NcclCommunicator::gather_texts(std::string_view bytes, Deadline& deadline) {
  const std::vector<std::size_t> lengths = gather_lengths(bytes.size(), deadline);
  const std::size_t longest = *std::max_element(lengths.begin(), lengths.end());
  const std::size_t turn = buffer_->bytes() / lengths.size();
  std::vector<std::string> texts(lengths.size());
  for (std::size_t done = 0; done < longest; done += turn) {
    const std::size_t bytes_each = std::min(turn, longest - done);  // what a shorter text lacks is padding
    const std::string_view own = bytes.substr(std::min(done, bytes.size()), bytes_each);
    const std::string_view all = gather_turn(own, bytes_each, deadline);
    for (std::size_t rank = 0; rank < lengths.size(); ++rank) {
      const std::size_t left = lengths[rank] - texts[rank].size();
      texts[rank] += all.substr(rank * bytes_each, std::min(left, bytes_each));
    }
  }
  return texts;
}

std::vector<std::string> NcclCommunicator::all_gather(std::string_view bytes, Deadline deadline) {
  std::vector<std::string> texts;
  collective([&] { texts = gather_texts(bytes, deadline); });
  return texts;
}

void NcclCommunicator::collective(const std::function<void()>& body) {
  if (failure_) {
    throw CommunicationError("this communicator is poisoned by an earlier failure: " + *failure_, {});
  }
  ++collectives_;
  std::string what;
  try {
    body();
    return;
  } catch (const std::exception& error) {
    what = place_text(place_) + ", collective " + std::to_string(collectives_) +
           " of the tuner over NCCL: " + error.what();
  }
  poison(what);
}

void NcclCommunicator::poison(const std::string& what) {
  buffer_->abandon();  // NCCL's work may still write to it
  failure_ = what;     // before anything that may throw
  *failure_ +=
      give_up({nccl_, buffer_->context(), grace(), what, place_.rank, place_.size, options_.on_abort});
  throw CommunicationError(*failure_, {});
}

}  // namespace contextual::sync
