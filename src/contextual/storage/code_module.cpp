#include <contextual/detail/config/hex_text.hpp>
#include <contextual/detail/config/stable_hash.hpp>
#include <contextual/detail/storage/code_module.hpp>

#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace contextual::detail {
namespace {

using Segment = ElfW(Phdr);

constexpr const char* without_build_id = "code ";

std::string hex_digits(std::span<const unsigned char> bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += digits[byte >> 4U];
    text += digits[byte & 15U];
  }
  return text;
}

/// Of the notes of one segment; empty if there is none.
std::string build_id_in(std::span<const unsigned char> notes, std::size_t alignment) {
  const std::size_t multiple = alignment == 8 ? 8 : 4;
  const auto padded = [multiple](std::size_t size) { return (size + multiple - 1) / multiple * multiple; };
  ElfW(Nhdr) note{};
  while (notes.size() >= sizeof note) {
    std::memcpy(&note, notes.data(), sizeof note);
    notes = notes.subspan(sizeof note);
    const std::size_t name_bytes = padded(note.n_namesz);
    if (name_bytes > notes.size() || note.n_descsz > notes.size() - name_bytes) {
      break;
    }
    const bool is_gnu = note.n_namesz == 4 && std::memcmp(notes.data(), "GNU", 4) == 0;
    if (is_gnu && note.n_type == NT_GNU_BUILD_ID) {
      return hex_digits(notes.subspan(name_bytes, note.n_descsz));
    }
    notes = notes.subspan(std::min(name_bytes + padded(note.n_descsz), notes.size()));
  }
  return {};
}

bool is_in(const Segment& segment, std::uintptr_t address) {
  return segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
         address - segment.p_vaddr < segment.p_memsz;
}

/// A word at a time: a program may have hundreds of megabytes.
std::uint64_t digest_of(std::span<const unsigned char> bytes) {
  StableHash hash;
  hash.add(std::uint64_t{bytes.size()});
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
    hash.add(word);
  }
  return hash.value();
}

/// A module as the loader describes it.
class LoadedModule {
 public:
  explicit LoadedModule(const dl_phdr_info& info)
      : base_(info.dlpi_addr), segments_(info.dlpi_phdr, info.dlpi_phnum), path_(info.dlpi_name) {}

  bool contains(const void* address) const {
    const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address) - base_;
    return std::any_of(segments_.begin(), segments_.end(),
                       [&](const Segment& segment) { return is_in(segment, offset); });
  }

  std::string id() const {
    std::string found;
    StableHash code;
    for (const Segment& segment : segments_) {
      if (segment.p_type == PT_NOTE && found.empty()) {
        found = build_id_in(bytes_of(segment), segment.p_align);
      }
    }
    if (!found.empty()) {
      return found;
    }
    for (const Segment& segment : segments_) {
      if (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) == 0 && (segment.p_flags & PF_R) != 0) {
        code.add(digest_of(bytes_of(segment)));
      }
    }
    return without_build_id + hex_text(code.value());
  }

  std::string name() const {
    std::string path = path_;
    if (path.empty()) {  // the program itself
      std::array<char, PATH_MAX> text{};
      const ssize_t length = ::readlink("/proc/self/exe", text.data(), text.size());
      path.assign(text.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
    }
    return path.substr(path.rfind('/') + 1);
  }

 private:
  std::span<const unsigned char> bytes_of(const Segment& segment) const {
    const std::uintptr_t address = base_ + segment.p_vaddr;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): where the loader has put it
    return {reinterpret_cast<const unsigned char*>(address), segment.p_filesz};
  }

  std::uintptr_t base_;
  std::span<const Segment> segments_;
  const char* path_;
};

/// What is known of the modules that are loaded, until one is unloaded: another one may take its place.
struct Known {
  std::mutex mutex;
  unsigned long long unloaded = 0;
  std::vector<std::pair<const Segment*, CodeModule>> modules;
};

Known& known() {
  static auto* const all = new Known;  // outlives static kernels
  return *all;
}

struct Search {
  const void* address;
  CodeModule found{};
};

int look_at(dl_phdr_info* info, std::size_t /*size*/, void* of_search) noexcept {
  auto& search = *static_cast<Search*>(of_search);
  try {
    const LoadedModule module(*info);
    if (!module.contains(search.address)) {
      return 0;
    }
    Known& all = known();
    if (all.unloaded != info->dlpi_subs) {
      all.unloaded = info->dlpi_subs;
      all.modules.clear();
    }
    const auto same = std::find_if(all.modules.begin(), all.modules.end(),
                                   [&](const auto& one) { return one.first == info->dlpi_phdr; });
    if (same != all.modules.end()) {
      search.found = same->second;
    } else {
      search.found = {module.name(), module.id()};
      all.modules.emplace_back(info->dlpi_phdr, search.found);
    }
  } catch (...) {  // no memory: unknown
    search.found = {};
  }
  return 1;
}

}  // namespace

CodeModule module_of(const void* address) noexcept {
  if (address == nullptr) {
    return {};
  }
  Search search{address};
  try {
    const std::lock_guard lock(known().mutex);
    ::dl_iterate_phdr(&look_at, &search);
  } catch (...) {  // no memory: unknown
    return {};
  }
  return std::move(search.found);
}

std::string build_id_of(const std::filesystem::path& file) noexcept {
  try {
    std::ifstream in(file, std::ios::binary);
    ElfW(Ehdr) header{};
    const auto read = [&in](std::uint64_t at, void* to, std::size_t size) {
      in.seekg(static_cast<std::streamoff>(at));
      in.read(static_cast<char*>(to), static_cast<std::streamsize>(size));
      return static_cast<bool>(in);
    };
    if (!read(0, &header, sizeof header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
      return {};
    }
    for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
      constexpr std::size_t longest_notes = 1U << 16U;
      Segment segment{};
      if (!read(header.e_phoff + i * header.e_phentsize, &segment, sizeof segment)) {
        return {};
      }
      if (segment.p_type != PT_NOTE || segment.p_filesz > longest_notes) {
        continue;
      }
      std::vector<unsigned char> notes(segment.p_filesz);
      if (!read(segment.p_offset, notes.data(), notes.size())) {
        return {};
      }
      if (std::string id = build_id_in(notes, segment.p_align); !id.empty()) {
        return id;
      }
    }
    return {};
  } catch (...) {  // no memory, or a file that cannot be read
    return {};
  }
}

}  // namespace contextual::detail
