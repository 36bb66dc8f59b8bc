#include <contextual/error.hpp>
#include <contextual/kernels/mpi/all_gather.hpp>
#include <contextual/kernels/mpi/message_set.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace contextual::kernels {

namespace {

/// Rows [begin, end) of `full` that a message brings; empty for one that this rank sends.
struct Arrival {
  long begin = 0;
  long end = 0;
};

class AllGather {
 public:
  AllGather(const AllGatherConfig& config, const AllGatherArgs& args)
      : args_(args),
        chunk_(config.chunk_rows),
        chunks_(chunk_count(args.rows, config.chunk_rows)),
        messages_(args.communicator) {
    MPI_Comm_rank(args.communicator, &rank_);
    MPI_Comm_size(args.communicator, &ranks_);
    if (args.flags != nullptr && args.flags->rows() != ranks_ * args.rows) {
      throw InvalidArgument("all-gather: " + std::to_string(ranks_ * args.rows) + " rows, but flags of " +
                            std::to_string(args.flags->rows()));
    }
  }

  /// All messages at once: chunk by chunk, each to the next rank first, so that not all send to one.
  void begin() {
    for (int chunk = 0; chunk < chunks_; ++chunk) {
      for (int i = 1; i < ranks_; ++i) {
        const Arrival rows = rows_of((rank_ + ranks_ - i) % ranks_, chunk);
        messages_.receive(args_.full + rows.begin * args_.cols, (rows.end - rows.begin) * args_.cols,
                          (rank_ + ranks_ - i) % ranks_, chunk);
        arrivals_.push_back(rows);
      }
    }
    for (int chunk = 0; chunk < chunks_; ++chunk) {
      const Arrival rows = rows_of(0, chunk);
      for (int i = 1; i < ranks_; ++i) {
        messages_.send(args_.shard + rows.begin * args_.cols, (rows.end - rows.begin) * args_.cols,
                       (rank_ + i) % ranks_, chunk);
        arrivals_.emplace_back();
      }
    }
  }

  void copy_own_shard() {
    for (int chunk = 0; chunk < chunks_; ++chunk) {
      const Arrival rows = rows_of(rank_, chunk);
      std::copy_n(args_.shard + (rows.begin - rank_ * args_.rows) * args_.cols,
                  (rows.end - rows.begin) * args_.cols, args_.full + rows.begin * args_.cols);
      set(rows);
    }
  }

  void finish(int pause_us) {
    Deadline deadline = Deadline::after(args_.budget);
    while (!messages_.all_done()) {
      const std::vector<std::size_t>& completed = messages_.poll();
      for (const std::size_t message : completed) {
        set(arrivals_[message]);
      }
      if (completed.empty()) {
        messages_.pause(pause_us, deadline, "all-gather");
      }
    }
  }

 private:
  Arrival rows_of(int rank, int chunk) const {
    const long begin = static_cast<long>(chunk) * chunk_;
    return {rank * args_.rows + begin, rank * args_.rows + std::min(args_.rows, begin + chunk_)};
  }

  void set(const Arrival& rows) {
    if (args_.flags != nullptr) {
      args_.flags->set(rows.begin, rows.end);
    }
  }

  const AllGatherArgs& args_;
  long chunk_;
  int chunks_;
  int rank_ = 0;
  int ranks_ = 1;
  MessageSet messages_;
  std::vector<Arrival> arrivals_;  ///< one a message
};

}  // namespace

void all_gather_compute(const AllGatherConfig& config, const AllGatherArgs& args) {
  AllGather gather(config, args);
  try {
    gather.begin();
    gather.copy_own_shard();
    gather.finish(config.pause_us);
  } catch (...) {
    if (args.flags != nullptr) {
      args.flags->fail();
    }
    throw;
  }
}

}  // namespace contextual::kernels
