#include "support/catch.hpp"

#include <contextual/error.hpp>
#include <contextual/testing/communicator_conformance.hpp>
#include <contextual/testing/scripted_communicator.hpp>

namespace contextual::testing::communicator_conformance_test {

namespace {

enum class Defect {
  none,
  no_description,
  wrong_rank,
  no_scope,
  minimum,
  unsigned_maximum,
  loses_words,
  cuts_at_zero,
  reversed_order,
  throws,
  never_expires,
  not_poisoned,
  other_exception,
  names_itself,
};

/// A rank of a scripted world, right but for its defect.
class BrokenCommunicator final : public Communicator {
 public:
  BrokenCommunicator(std::shared_ptr<Communicator> inner, Defect defect)
      : inner_(std::move(inner)), defect_(defect) {}

  int rank() const noexcept override { return is(Defect::wrong_rank) ? 0 : inner_->rank(); }
  int size() const noexcept override { return inner_->size(); }
  std::string describe() const override { return is(Defect::no_description) ? "" : "broken"; }
  std::string_view process_scope() const noexcept override {
    return is(Defect::no_scope) ? "" : inner_->process_scope();
  }

  void all_reduce_max(std::span<std::int64_t> values, Deadline deadline) override {
    if (is(Defect::throws)) {
      throw CommunicationError("cannot", {});
    }
    if (is(Defect::not_poisoned) && expired_) {
      return;
    }
    try {
      reduce(values, std::move(deadline));
    } catch (const CommunicationError&) {
      expired_ = true;
      if (is(Defect::never_expires)) {
        return;
      }
      if (is(Defect::other_exception)) {
        throw std::runtime_error("late");
      }
      if (is(Defect::names_itself)) {
        throw CommunicationError("late", {inner_->rank()});
      }
      throw;
    }
  }

  std::vector<std::string> all_gather(std::string_view bytes, Deadline deadline) override {
    if (is(Defect::cuts_at_zero)) {
      bytes = bytes.substr(0, bytes.find('\0'));
    }
    auto parts = inner_->all_gather(bytes, std::move(deadline));
    if (is(Defect::reversed_order)) {
      std::reverse(parts.begin(), parts.end());
    }
    return parts;
  }

 private:
  bool is(Defect defect) const noexcept { return defect_ == defect; }

  void reduce(std::span<std::int64_t> values, Deadline deadline) {
    const std::span<std::int64_t> given = is(Defect::loses_words) ? values.first(values.size() / 2) : values;
    const auto spoil = [&] {
      for (std::int64_t& value : given) {
        if (is(Defect::minimum)) {
          value = ~value;
        } else if (is(Defect::unsigned_maximum)) {
          value = static_cast<std::int64_t>(static_cast<std::uint64_t>(value) ^ (1ULL << 63));
        }
      }
    };
    spoil();
    inner_->all_reduce_max(given, std::move(deadline));
    spoil();
  }

  const std::shared_ptr<Communicator> inner_;
  const Defect defect_;
  bool expired_ = false;
};

std::string violations_of(Defect defect) {
  ScriptedWorld world(3);
  const auto make = [&](int rank) -> std::shared_ptr<Communicator> {
    return std::make_shared<BrokenCommunicator>(world.communicator(rank), defect);
  };
  std::string text;
  for (const std::string& line :
       check_communicator(make, 3, std::chrono::milliseconds(defect == Defect::none ? 500 : 100))) {
    text += line + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("check_communicator: one without a defect conforms") {
  CHECK(violations_of(Defect::none) == "");
}

TEST_CASE("check_communicator: every planted defect is named") {
  CHECK_THAT(violations_of(Defect::no_description), ContainsSubstring("describe() is empty"));
  CHECK_THAT(violations_of(Defect::wrong_rank), ContainsSubstring("rank() or size() is not what"));
  CHECK_THAT(violations_of(Defect::no_scope), ContainsSubstring("process_scope()"));
  CHECK_THAT(violations_of(Defect::minimum), ContainsSubstring("wrong maxima for small values"));
  CHECK_THAT(violations_of(Defect::unsigned_maximum), ContainsSubstring("wrong maxima for extreme values"));
  CHECK_THAT(violations_of(Defect::loses_words), ContainsSubstring("wrong maxima for many values"));
  CHECK_THAT(violations_of(Defect::cuts_at_zero), ContainsSubstring("unchanged and in rank order"));
  CHECK_THAT(violations_of(Defect::reversed_order), ContainsSubstring("unchanged and in rank order"));
  CHECK_THAT(violations_of(Defect::throws), ContainsSubstring("failed although every rank called it"));
  CHECK_THAT(violations_of(Defect::never_expires), ContainsSubstring("when a rank does not arrive"));
  CHECK_THAT(violations_of(Defect::not_poisoned), ContainsSubstring("(poisoned)"));
  CHECK_THAT(violations_of(Defect::other_exception),
             ContainsSubstring("something else than CommunicationError"));
  CHECK_THAT(violations_of(Defect::names_itself), ContainsSubstring("names other ranks"));
}

TEST_CASE("check_communicator: no communicator is a violation") {
  CHECK(check_communicator([](int) { return nullptr; }, 2) ==
        std::vector<std::string>{"no communicator was made"});
}

}  // namespace contextual::testing::communicator_conformance_test
