#pragma once

/// \file
/// What an example with several ranks does between the runs of its region, each wait with a deadline.

#include <contextual/communicator.hpp>
#include <contextual/report.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace examples {

/// The ranks of the program, on a communicator of their own, apart from the tuner's.
class Ranks {
 public:
  /// Collective. Waits longer than `budget` throw contextual::CommunicationError, which names who is missing.
  explicit Ranks(std::chrono::milliseconds budget);

  int rank() const { return communicator_->rank(); }
  int size() const { return communicator_->size(); }

  void barrier();
  /// The largest of all ranks' values, which are not negative.
  double slowest(double value);
  contextual::Communicator& communicator() { return *communicator_; }
  contextual::Deadline deadline() const { return contextual::Deadline::after(budget_); }

 private:
  std::shared_ptr<contextual::Communicator> communicator_;
  std::chrono::milliseconds budget_;
};

/// "RANK:MS": by how much `rank` is late, 0 if it is another one or the text is empty. Throws
/// std::invalid_argument for another text, for a rank that does not exist and for more than a minute.
std::chrono::microseconds delay_of(const std::string& straggler, int rank, int ranks);

/// Compares the choices of all ranks byte for byte, and writes them to `file`.RANK unless `file` is empty.
/// Returns a sentence; throws std::runtime_error when ranks differ. Collective.
std::string compare_choices(const contextual::RegionReport& region, Ranks& ranks, const std::string& file);

/// Ends all ranks: the others may wait for this one.
[[noreturn]] void abort_all();

}  // namespace examples
