#include "contextual/launch/problem_slot.hpp"

namespace contextual::detail {

ProblemSlot::ProblemSlot(std::size_t position, const Problem& problem)
    : index(position),
      coupling(problem.coupling),
      rejected(std::make_unique<std::atomic<bool>[]>(problem.config_count)),
      prepared_here(problem.config_count, false),
      key(problem.key),
      name(problem.name),
      key_text(problem.key_text),
      participation(problem.participation),
      config_count(problem.config_count),
      space_digest(problem.space_digest),
      left_out(problem.config_count, false),
      identity(problem.identity),
      settled(problem.config_count, false),
      prepared(problem.config_count, false) {}

}  // namespace contextual::detail
