#include "contextual/agreement/kernels_digest.hpp"

#include <contextual/detail/config/hex_text.hpp>
#include <contextual/detail/config/stable_hash.hpp>
#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/error.hpp>
#include <contextual/launch_registry.hpp>

#include <cstdint>
#include <map>
#include <string_view>

namespace contextual::agreement {

std::string kernels_digest() {
  std::map<std::string, std::uint64_t> digests;
  for (const auto& kernel : LaunchRegistry::instance().kernels()) {
    try {
      digests[kernel->traits().name] += kernel->alive() ? kernel->table_digest() : 0;
    } catch (const Error&) {  // whoever launches it gets to know
    }
  }
  detail::StableHash hash;
  for (const auto& [name, digest] : digests) {
    hash.add(std::string_view(name)).add(digest);
  }
  return detail::hex_text(hash.value());
}

std::uint64_t launched_digest(const detail::RunContext& context) {
  std::uint64_t digest = 0;  // a sum, because ranks may have seen the problems in another order
  for (const detail::ProblemSlot& slot : context.slots()) {
    if (!slot.shared()) {
      continue;
    }
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
