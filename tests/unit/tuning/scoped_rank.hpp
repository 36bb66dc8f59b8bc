#pragma once

/// \file
/// A rank alone, in the place of a rank of a scripted world.

#include <contextual/communicator.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::test {

/// What it locks in is what that rank's process has locked in.
class ScopedRank final : public Communicator {
 public:
  explicit ScopedRank(std::string_view scope) : scope_(scope) {}
  int rank() const noexcept override { return 0; }
  int size() const noexcept override { return 1; }
  void all_reduce_max(std::span<std::int64_t> /*values*/, Deadline /*deadline*/) override {}
  std::vector<std::string> all_gather(std::string_view bytes, Deadline /*deadline*/) override {
    return {std::string(bytes)};
  }
  std::string describe() const override { return "one rank of a scripted world"; }
  std::string_view process_scope() const noexcept override { return scope_; }

 private:
  std::string scope_;
};

}  // namespace contextual::test
