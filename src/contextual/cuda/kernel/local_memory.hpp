#pragma once

namespace contextual::cuda {

/// Gives back what was reserved for configs that a tuning run has tried and not chosen. The driver waits for
/// running kernels meanwhile, so call it where none run and no other thread uses CUDA.
void give_back_local_memory() noexcept;

}  // namespace contextual::cuda
