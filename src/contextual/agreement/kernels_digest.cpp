#include "contextual/agreement/kernels_digest.hpp"

#include "contextual/config/utf8_text.hpp"
#include "contextual/storage/choice_set.hpp"

#include <contextual/detail/config/hex_text.hpp>
#include <contextual/detail/config/stable_hash.hpp>
#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/error.hpp>
#include <contextual/launch_registry.hpp>

#include <cstdint>
#include <numeric>
#include <set>
#include <string_view>

namespace contextual::agreement {

std::string kernels_text() {
  std::set<std::string> lines;
  for (const auto& kernel : LaunchRegistry::instance().kernels()) {
    try {
      if (kernel->alive()) {
        lines.insert(detail::hex_text(kernel->table_digest()) + " " + kernel->traits().name + "\n");
      }
    } catch (const Error&) {  // whoever launches it gets to know
    }
  }
  return detail::as_kept(std::accumulate(lines.begin(), lines.end(), std::string()));
}

std::string kernels_digest() {
  return detail::hex_text(detail::StableHash().add(std::string_view(kernels_text())).value());
}

std::uint64_t launched_kernels_digest(const detail::RunContext& context) {
  std::uint64_t digest = 0;  // a sum, because ranks may have seen the problems in another order
  for (const detail::ProblemSlot& slot : context.slots()) {
    detail::StableHash hash;
    hash.add(std::string_view(slot.problem.name)).add(slot.problem.key.hash()).add(slot.problem.scope);
    std::uint64_t members = 0;
    for (const auto& member : slot.found.members) {
      members += detail::StableHash()
                     .add(std::string_view(member->traits().name))
                     .add(member->table_digest())
                     .value();
    }
    digest += hash.add(members).value();
  }
  return digest;
}

}  // namespace contextual::agreement
