#include <contextual/detail/launch/kernel_hooks.hpp>

#include <utility>

namespace contextual::detail {

KernelHooks::KernelHooks(PackedResult<Key>& its_key, PackedResult<void>& its_load, bool needs_key,
                         PackedResult<bool>& its_keep, PackedResult<void>& its_before_launch,
                         PackedResult<void>& its_after_launch, PackedResult<void>& its_reset,
                         PackedResult<bool>& its_check, PackedResult<KernelWork>& its_work,
                         Participation its_participation, std::string& its_coupling, std::string& its_version,
                         std::vector<std::string>& its_key_names)
    : key(std::move(its_key)),
      load(std::move(its_load)),
      load_needs_key(needs_key),
      keep(std::move(its_keep)),
      before_launch(std::move(its_before_launch)),
      after_launch(std::move(its_after_launch)),
      reset(std::move(its_reset)),
      check(std::move(its_check)),
      work(std::move(its_work)),
      participation(its_participation),
      coupling(std::move(its_coupling)),
      version(std::move(its_version)),
      key_names(std::move(its_key_names)) {}

KernelHooks::KernelHooks(KernelHooks&&) noexcept = default;
KernelHooks::~KernelHooks() = default;

}  // namespace contextual::detail
