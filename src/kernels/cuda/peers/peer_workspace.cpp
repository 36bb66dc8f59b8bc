#include "kernels/cuda/peers/peer_control.hpp"
#include "kernels/cuda/peers/workspace_parts.hpp"

#include <contextual/error.hpp>
#include <contextual/kernels/cuda/peer_workspace.hpp>

#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace contextual::kernels::cuda {

PeerWorkspace::PeerWorkspace(std::shared_ptr<Communicator> communicator, std::size_t bytes,
                             const PeerWorkspaceOptions& options)
    : parts_(std::make_unique<Parts>(std::move(communicator), bytes, options)) {
  Parts* const parts = parts_.get();
  parts->checks.emplace(std::vector<std::string>(std::begin(peer_kernel_names), std::end(peer_kernel_names)),
                        KernelChecks{.verify =
                                         [parts](const IterationInfo&) {
                                           const std::string failure = parts->failure();
                                           if (parts->is_used() && !failure.empty()) {
                                             throw ConfigRejected(failure);
                                           }
                                           return true;
                                         },
                                     .after_failure =
                                         [parts] {
                                           if (parts->is_used()) {
                                             parts->rearm();
                                           }
                                         }});
}

PeerWorkspace::~PeerWorkspace() = default;

int PeerWorkspace::rank() const noexcept {
  return parts_->communicator->rank();
}

int PeerWorkspace::ranks() const noexcept {
  return parts_->communicator->size();
}

std::size_t PeerWorkspace::bytes() const noexcept {
  return parts_->matrix_bytes;
}

const std::string& PeerWorkspace::problem() const noexcept {
  return parts_->memory.problem();
}

std::string PeerWorkspace::failure() const {
  return parts_->failure();
}

void PeerWorkspace::abort() noexcept {
  parts_->abort();
}

void PeerWorkspace::rearm() {
  parts_->rearm();
}

}  // namespace contextual::kernels::cuda
