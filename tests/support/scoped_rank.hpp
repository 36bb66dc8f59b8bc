#pragma once

/// \file
/// A rank under the name of another process.

#include <contextual/communicator.hpp>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::test {

/// What it locks in is what the process of that name has locked in.
class ScopedRank final : public Communicator {
 public:
  ScopedRank(std::shared_ptr<Communicator> rank, std::string_view scope)
      : rank_(std::move(rank)), scope_(scope) {}

  int rank() const noexcept override { return rank_->rank(); }
  int size() const noexcept override { return rank_->size(); }
  void all_reduce_max(std::span<std::int64_t> values, Deadline deadline) override {
    rank_->all_reduce_max(values, std::move(deadline));
  }
  std::vector<std::string> all_gather(std::string_view bytes, Deadline deadline) override {
    return rank_->all_gather(bytes, std::move(deadline));
  }
  std::string describe() const override { return rank_->describe(); }
  int process_rank() const noexcept override { return rank_->process_rank(); }
  std::string_view process_scope() const noexcept override { return scope_; }

 private:
  std::shared_ptr<Communicator> rank_;
  std::string scope_;
};

}  // namespace contextual::test
