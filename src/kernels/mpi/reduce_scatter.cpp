#include <contextual/error.hpp>
#include <contextual/kernels/mpi/message_set.hpp>
#include <contextual/kernels/mpi/reduce_scatter.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace contextual::kernels {

namespace {

struct Rows {
  long begin = 0;
  long end = 0;
};

class ReduceScatter {
 public:
  ReduceScatter(const ReduceScatterConfig& config, const ReduceScatterArgs& args)
      : args_(args),
        chunk_(config.chunk_rows),
        chunks_(chunk_count(args.rows, config.chunk_rows)),
        messages_(args.communicator) {
    MPI_Comm_rank(args.communicator, &rank_);
    MPI_Comm_size(args.communicator, &ranks_);
    if (args.flags != nullptr && args.flags->rows() != ranks_ * args.rows) {
      throw InvalidArgument("reduce-scatter: " + std::to_string(ranks_ * args.rows) + " rows, but flags of " +
                            std::to_string(args.flags->rows()));
    }
  }

  void begin() {
    for (int chunk = 0; chunk < chunks_; ++chunk) {
      const Rows rows = rows_of(chunk);
      for (int source = 0; source < ranks_; ++source) {
        if (source != rank_) {
          messages_.receive(args_.workspace + (source * args_.rows + rows.begin) * args_.cols,
                            (rows.end - rows.begin) * args_.cols, source, chunk);
          chunk_of_message_.push_back(chunk);
        }
      }
      waiting_for_.push_back(ranks_);  // one addend of each rank
    }
    for (int i = 1; i <= ranks_; ++i) {
      for (int chunk = 0; chunk < chunks_; ++chunk) {
        unsent_.push_back({(rank_ + i) % ranks_, chunk});
      }
    }
  }

  void finish(int pause_us) {
    const auto since = Deadline::Clock::now();
    Deadline deadline = Deadline::after(args_.budget);
    while (!unsent_.empty() || !messages_.all_done()) {
      bool moved = send_what_is_there();
      for (const std::size_t message : messages_.poll()) {
        moved = true;
        if (chunk_of_message_[message] >= 0) {
          addend_arrived(chunk_of_message_[message]);
        }
      }
      if (!moved && !unsent_.empty() && args_.flags != nullptr) {
        args_.flags->check(since, deadline, first_row(unsent_.front()));
      }
      if (!moved) {
        messages_.pause(pause_us, deadline, "reduce-scatter");
      }
    }
  }

 private:
  /// Rows of `partial` for rank `destination`; its own ones "arrive" without a message.
  struct Piece {
    int destination = 0;
    int chunk = 0;
  };

  Rows rows_of(int chunk) const {
    const long begin = static_cast<long>(chunk) * chunk_;
    return {begin, std::min(args_.rows, begin + chunk_)};
  }
  long first_row(const Piece& piece) const {
    return piece.destination * args_.rows + rows_of(piece.chunk).begin;
  }

  bool send_what_is_there() {
    const auto sent = [this](const Piece& piece) {
      const Rows rows = rows_of(piece.chunk);
      const long first = first_row(piece);
      if (args_.flags != nullptr && !args_.flags->are_set(first, first + rows.end - rows.begin)) {
        return false;
      }
      if (piece.destination == rank_) {
        addend_arrived(piece.chunk);
      } else {
        messages_.send(args_.partial + first * args_.cols, (rows.end - rows.begin) * args_.cols,
                       piece.destination, piece.chunk);
        chunk_of_message_.push_back(-1);
      }
      return true;
    };
    return std::erase_if(unsent_, sent) > 0;
  }

  void addend_arrived(int chunk) {
    if (--waiting_for_[static_cast<std::size_t>(chunk)] > 0) {
      return;
    }
    const Rows rows = rows_of(chunk);
    const long count = (rows.end - rows.begin) * args_.cols;
    float* const out = args_.out + rows.begin * args_.cols;
    for (int rank = 0; rank < ranks_; ++rank) {
      const float* const from =
          (rank == rank_ ? args_.partial : args_.workspace) + (rank * args_.rows + rows.begin) * args_.cols;
      for (long i = 0; i < count; ++i) {
        out[i] = rank == 0 ? from[i] : out[i] + from[i];
      }
    }
  }

  const ReduceScatterArgs& args_;
  long chunk_;
  int chunks_;
  int rank_ = 0;
  int ranks_ = 1;
  MessageSet messages_;
  std::vector<int> chunk_of_message_;  ///< that it receives; -1 for one that is sent
  std::vector<int> waiting_for_;       ///< addends that each chunk of `out` still lacks
  std::vector<Piece> unsent_;
};

}  // namespace

void reduce_scatter_compute(const ReduceScatterConfig& config, const ReduceScatterArgs& args) {
  ReduceScatter reduction(config, args);
  reduction.begin();
  reduction.finish(config.pause_us);
}

}  // namespace contextual::kernels
