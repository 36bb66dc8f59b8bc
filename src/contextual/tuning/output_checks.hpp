#pragma once

/// \file
/// Whether assignments of configs write the outputs that the user has named: by the options, and by objects
/// for their kernels.

#include "contextual/launch/batch.hpp"
#include "contextual/launch/checks_of_kernels.hpp"
#include "contextual/launch/run_context.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/tuning/expected_output.hpp"

#include <contextual/search.hpp>

#include <cstddef>
#include <list>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace contextual::tuning {

/// The outputs of one run. Used on its thread, between runs of the region: `begin` before a batch, `verdict`
/// when its work is done, and `end` when the ranks have agreed on it. Keeps references to all that it is made
/// of.
///
/// The first batch that succeeds says what is expected. When its assignment runs next, nothing is filled: if
/// the results differ then, the region does not repeat them. That is only said, because the same configs have
/// written both. For every other assignment the outputs are filled and compared in its first batch, and for
/// the choices in the final run.
class OutputChecks {
 public:
  OutputChecks(const options::ResolvedOptions& options, const detail::RunContext& context)
      : options_(options), context_(context) {}

  /// Takes in what there is now. Call it before each batch.
  void refresh(const std::vector<std::shared_ptr<const detail::ChecksOfKernels>>& all);
  /// Returns true if there are no outputs; nothing else needs to be called then.
  bool empty() const noexcept { return groups_.empty(); }
  /// Returns false if two runs with the same configs have differed here, so that nothing could be judged.
  bool repeat() const noexcept;
  /// Finds memory for the copies that results will be compared with. Throws Error where there is none.
  void find_room();
  /// Fills what the batch must write, which has one assignment, when there is room.
  void begin(const Assignment& assignment, detail::BatchKind kind);
  /// Returns why the results of the batch are wrong; empty if they are not.
  std::string verdict(const detail::BatchResult& result);
  /// `assignment`: of the batch, with the problems that have joined in it. `succeeded`: nothing in it has
  /// failed on any rank. Returns what is to be said.
  std::vector<std::string> end(const Assignment& assignment, bool succeeded);

 private:
  enum class Step {
    nothing,  ///< the assignment has been shown right
    check,    ///< it is filled, and compared if it is known what is expected
    repeat,   ///< the results must be those that are expected, because the same configs have written them
  };
  /// Outputs that are compared together.
  struct Group {
    std::shared_ptr<const detail::ChecksOfKernels> object;
    std::vector<Output> outputs{};
    std::list<ExpectedOutput> expected{};  ///< memory for it, before anything is filled
    bool known = false;                    ///< what is expected: some batch has succeeded
    Assignment expected_of{};
    std::set<Assignment> right{};
    bool repeated = false;  ///< the assignment of what is expected has run again
    bool differed = false;  ///< it is said that the results were others then
    // In this batch.
    Step step = Step::nothing;
    bool same_configs = false;  ///< those that have written what is expected
    bool written = false;       ///< what writes them was launched
  };

  void note_difference(Group& group, const std::string& difference);
  bool in_region(const Group& group) const;
  bool launched(const Group& group, const detail::BatchResult& result) const;
  Step step_of(const Group& group, const Assignment& assignment, detail::BatchKind kind) const;
  void find_room(Group& group) const;
  void warn_of_large(const Group& group) const;
  void expect(Group& group, const Assignment& assignment);

  const options::ResolvedOptions& options_;
  const detail::RunContext& context_;
  std::list<Group> groups_;
  std::vector<std::string> notes_;  ///< not said yet
};

}  // namespace contextual::tuning
