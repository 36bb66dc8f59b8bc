#pragma once

/// \file
/// CUDA C++ that is compiled at run time: the source, and the variants of it that configs need.

#include <contextual/export.hpp>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace contextual {

/// CUDA C++ source with its headers. A value type. No file is read before the first compilation.
class CONTEXTUAL_API CudaSource {
 public:
  /// A source file, which is read when it is compiled for the first time. Its folder is searched for headers
  /// first. Compiler messages call it by its path.
  static CudaSource file(std::filesystem::path path);
  /// An embedded source, in no folder. Compiler messages call it `name`.
  static CudaSource text(std::string name, std::string text);

  /// Adds a folder that is searched for headers.
  CudaSource& include_directory(std::filesystem::path directory);
  /// Adds an embedded header, in no folder, found by `#include "name"` and `#include <name>` before files.
  CudaSource& header(std::string name, std::string text);
  /// Adds an option of NVRTC for all configs, e.g. "--use_fast_math". The architecture and the language level
  /// are set already.
  CudaSource& option(std::string option);

  /// An embedded header.
  struct Header {
    std::string name;
    std::string text;
  };
  const std::string& name() const noexcept { return name_; }
  const std::filesystem::path& path() const noexcept { return path_; }  ///< empty for an embedded source
  const std::string& embedded() const noexcept { return text_; }
  const std::vector<std::filesystem::path>& include_directories() const noexcept { return directories_; }
  const std::vector<Header>& headers() const noexcept { return headers_; }
  const std::vector<std::string>& options() const noexcept { return options_; }

 private:
  std::string name_;
  std::filesystem::path path_;
  std::string text_;
  std::vector<std::filesystem::path> directories_;
  std::vector<Header> headers_;
  std::vector<std::string> options_;
};

/// What is compiled for a config. Configs with equal variants share the code, its device variables included.
struct CudaVariant {
  /// The kernel: the name of an extern "C" function, or an expression that names a template instance, e.g.
  /// "gemm<128, 4>".
  std::string function{};
  /// Macro and value. They are defined in front of the source.
  std::vector<std::pair<std::string, std::string>> defines{};
  std::vector<std::string> options{};  ///< further options of NVRTC
};

/// A size in up to three dimensions.
struct CudaDim {
  unsigned x = 1;
  unsigned y = 1;
  unsigned z = 1;

  friend bool operator==(const CudaDim&, const CudaDim&) = default;
};

/// The sizes of one launch, and what may run beside it.
struct CudaLayout {
  CudaDim grid{};     ///< in blocks
  CudaDim block{};    ///< in threads
  CudaDim cluster{};  ///< in blocks; 1 x 1 x 1 for no cluster
  unsigned dynamic_shared_bytes = 0;
  /// If true, the kernel may begin before the previous kernel on the stream has ended (programmatic dependent
  /// launch).
  bool programmatic_stream_serialization = false;
  /// How much of a multiprocessor's L1 cache shall be shared memory while the kernel runs there, in percent;
  /// -1 leaves it to the driver. A kernel that uses none and stays long keeps out all that use some, unless
  /// it is launched with 100.
  int shared_memory_carveout = -1;

  friend bool operator==(const CudaLayout&, const CudaLayout&) = default;
};

}  // namespace contextual
