#pragma once

/// \file
/// Makes things go wrong on this rank when its turn has come.
///
/// Points, in the order in which a run passes them: `between` (runs), `before_iteration` (the hook),
/// `before_comm`, `after_comm` (the region, before and after its own communication), `in_launch` (of the
/// second kernel, after the communication), `after_iteration` (the hook), and `prepare` (before the next
/// batch). At a point a rank may `throw`, `exit` (3, by _exit), `std_exit` (7, with the exit handlers), be a
/// victim of `kill` or `stop` (SIGKILL and SIGSTOP by itself), or be `blocked` (in an MPI_Recv that nothing
/// matches). Of kind `return` it returns 7 from `main` instead of the run.

#include "command_line.hpp"
#include "result_file.hpp"

#include <contextual/options.hpp>

#include <stdexcept>
#include <string>
#include <string_view>

namespace faults {

/// Thrown by the kind `throw`.
class Injected : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One thread only.
class Injector {
 public:
  Injector(int rank, const ResultFile& results) : rank_(rank), results_(results) {}

  /// From now on this fault, in repetition `repetition`; once, unless it is a kind that lasts.
  void arm(const Fault& fault, int repetition);
  void disarm() { armed_ = false; }

  /// Where the run stands: called by the hook before every run of the region.
  void at(const contextual::IterationInfo& info);

  /// Is something of this kind due on this rank, at the iteration where the run stands? The first `true` of
  /// a repetition is noted as the time of the injection.
  bool due(std::string_view kind);
  /// The same in every iteration, for what is wrong from the beginning.
  bool always(std::string_view kind);

  /// Is the fault of this kind, on whichever rank?
  bool on_all_ranks(std::string_view kind) const { return armed_ && fault_.kind == kind; }

  /// Does what is due at this point; may not return.
  void reach(std::string_view point);

 private:
  bool is(std::string_view kind) const { return armed_ && fault_.rank == rank_ && fault_.kind == kind; }
  bool iteration_matches() const;
  void note(std::string_view point);
  [[noreturn]] void block() const;

  int rank_;
  const ResultFile& results_;
  Fault fault_;
  int repetition_ = 0;
  bool armed_ = false;
  bool noted_ = false;
  std::string phase_;
  std::int64_t iteration_ = 0;
};

}  // namespace faults
