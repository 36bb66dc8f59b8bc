#include "kernels/host/thread_pool.hpp"

#include <contextual/error.hpp>
#include <contextual/kernels/host/flagged_gemm.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <optional>
#include <vector>

namespace contextual::kernels {

namespace {

/// Rows [begin, end) of A and C.
struct Block {
  long begin = 0;
  long end = 0;
};

void check_config(const FlaggedGemmConfig& config) {
  const bool known =
      config.order == "own_first" || config.order == "own_last" || config.order == "as_arrived";
  if (!known || config.block_rows < 1 || config.threads < 1 || (config.nr != 16 && config.nr != 32)) {
    throw ConfigRejected("flagged GEMM: no config with block_rows " + std::to_string(config.block_rows) +
                         ", nr " + std::to_string(config.nr) + ", order \"" + config.order + "\", threads " +
                         std::to_string(config.threads));
  }
}

void check_args(const FlaggedGemmArgs& args) {
  const long m = args.gemm.m;
  if (args.shards < 1 || args.own_shard < 0 || args.own_shard >= args.shards || m % args.shards != 0) {
    throw InvalidArgument("flagged GEMM: " + std::to_string(m) + " rows are not " +
                          std::to_string(args.shards) + " equal shards with shard " +
                          std::to_string(args.own_shard) + " among them");
  }
  for (const RowFlags* flags : {args.waits_for, static_cast<const RowFlags*>(args.sets)}) {
    if (flags != nullptr && flags->rows() != m) {
      throw InvalidArgument("flagged GEMM: " + std::to_string(m) + " rows, but flags of " +
                            std::to_string(flags->rows()));
    }
  }
}

/// All blocks, in the order in which they are wanted.
std::vector<Block> blocks_of(const FlaggedGemmConfig& config, const FlaggedGemmArgs& args) {
  std::vector<Block> blocks;
  const long rows = args.gemm.m / args.shards;
  const int first = args.own_shard + (config.order == "own_last" ? 1 : 0);
  for (int i = 0; i < args.shards; ++i) {
    const long shard = (first + i) % args.shards * rows;
    for (long row = 0; row < rows; row += config.block_rows) {
      blocks.push_back({shard + row, shard + std::min(rows, row + config.block_rows)});
    }
  }
  return blocks;
}

/// Hands out the blocks of one launch to its threads, each once, when their rows are there.
class BlockQueue {
 public:
  BlockQueue(const FlaggedGemmConfig& config, const FlaggedGemmArgs& args)
      : blocks_(blocks_of(config, args)),
        taken_(blocks_.size()),
        flags_(args.waits_for),
        as_arrived_(config.order == "as_arrived" && flags_ != nullptr) {}

  std::size_t size() const { return blocks_.size(); }

  /// Empty: nothing is left. Throws WaitFailed.
  std::optional<Block> take(Deadline& deadline) {
    return as_arrived_ ? take_arrived(deadline) : take_next(deadline);
  }

  /// No more blocks for anybody: a thread failed.
  void close() { closed_.store(true); }

 private:
  std::optional<Block> take_next(Deadline& deadline) {
    const std::size_t index = next_++;
    if (index >= blocks_.size() || closed_) {
      return std::nullopt;
    }
    if (flags_ != nullptr) {
      flags_->wait(blocks_[index].begin, blocks_[index].end, deadline);
    }
    return blocks_[index];
  }

  std::optional<Block> take_arrived(Deadline& deadline) {
    for (const auto since = Deadline::Clock::now(); !closed_;) {
      const Block* missing = nullptr;
      for (std::size_t i = 0; i < blocks_.size(); ++i) {
        if (taken_[i].load(std::memory_order_relaxed)) {
          continue;
        }
        if (!flags_->are_set(blocks_[i].begin, blocks_[i].end)) {
          missing = missing == nullptr ? &blocks_[i] : missing;
        } else if (!taken_[i].exchange(true)) {
          return blocks_[i];
        }
      }
      if (missing == nullptr) {
        break;
      }
      flags_->pause(since, deadline, missing->begin);
    }
    return std::nullopt;
  }

  std::vector<Block> blocks_;
  std::vector<std::atomic<bool>> taken_;
  const RowFlags* flags_;
  bool as_arrived_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> closed_{false};
};

void compute_block(const FlaggedGemmConfig& config, const FlaggedGemmArgs& args, const Block& block,
                   Isa isa) {
  GemmConfig whole;
  whole.mc = config.block_rows;
  whole.nr = config.nr;
  GemmArgs rows = args.gemm;
  rows.a += block.begin * rows.lda;
  rows.c += block.begin * rows.ldc;
  rows.m = block.end - block.begin;
  gemm_compute(whole, rows, isa);
  if (args.sets != nullptr) {
    args.sets->set(block.begin, block.end);
  }
}

}  // namespace

void flagged_gemm_compute(const FlaggedGemmConfig& config, const FlaggedGemmArgs& args, Isa isa) {
  check_config(config);
  check_args(args);
  BlockQueue queue(config, args);
  const int parts = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(config.threads),
                                                           std::max<std::size_t>(queue.size(), 1)));
  try {
    ThreadPool::shared().run(parts, [&](int) {
      try {
        Deadline deadline = Deadline::after(args.budget);
        while (const std::optional<Block> block = queue.take(deadline)) {
          compute_block(config, args, *block, isa);
        }
      } catch (...) {
        queue.close();
        throw;
      }
    });
  } catch (...) {
    if (args.sets != nullptr) {
      args.sets->fail();
    }
    throw;
  }
}

}  // namespace contextual::kernels
