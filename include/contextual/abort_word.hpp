#pragma once

/// \file
/// AbortWord: how a kernel that waits for a peer learns that the peer will not come.
///
/// A kernel that spins on a flag keeps its device busy for ever if no one sets the flag, and then nothing
/// else on that device ends either. Such a kernel also reads a word that the host can write while the kernel
/// runs, and leaves once the word is raised. When a communicator gives up, it raises all words of the
/// process.
///
///     std::uint32_t* word = nullptr;  // the kernel leaves when *(volatile unsigned*)word is not 0
///     cudaHostAlloc(reinterpret_cast<void**>(&word), sizeof *word, cudaHostAllocMapped);
///     *word = 0;
///     contextual::AbortWord abort_word(word);  // as long as the kernel may run

#include <contextual/export.hpp>

#include <cstddef>
#include <cstdint>

namespace contextual {

/// Registers a word for as long as this object lives. Can be moved, but not copied.
///
/// The word belongs to the caller and must outlive this object. It is in memory that the device can read and
/// the host can write while a kernel runs, such as that of cuMemHostAlloc or cudaHostAlloc. The kernel reads
/// it as a volatile word. A raised word stays raised: its owner lowers it before it launches the kernel
/// again.
///
/// Threads: words may be registered, unregistered and raised on any thread. The destructor waits for a raise
/// that is under way, which only stores.
class CONTEXTUAL_API AbortWord {
 public:
  /// Holds no word.
  AbortWord() = default;
  /// Registers `word`, whose value becomes `raised` when a communicator gives up. Throws InvalidArgument for
  /// a null pointer, and for a word that is registered already.
  explicit AbortWord(std::uint32_t* word, std::uint32_t raised = 1);
  AbortWord(AbortWord&& other) noexcept;
  AbortWord& operator=(AbortWord&& other) noexcept;
  AbortWord(const AbortWord&) = delete;
  AbortWord& operator=(const AbortWord&) = delete;
  ~AbortWord();

 private:
  std::uint32_t* word_ = nullptr;
};

/// Raises all registered words and returns how many there are. A communicator over NCCL calls it after an
/// expiry; a program calls it where it gives up by itself, as in Options::on_deadline. Thread-safe. Calls no
/// function of CUDA and does not wait, except for a thread that registers.
CONTEXTUAL_API std::size_t raise_abort_words() noexcept;

}  // namespace contextual
