#include "contextual/storage/processor.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

namespace contextual::storage {
namespace {

enum Register { eax, ebx, ecx, edx };

struct X86Extension {
  const char* name;
  std::uint32_t leaf;
  std::uint32_t subleaf;
  Register in;
  unsigned bit;
};

/// From the manuals of Intel (SDM volume 2, CPUID) and AMD (APM volume 3, appendix E). Left out is what an
/// operating system or its kernel's parameters switch on, what microcode takes away (TSX), and what guards
/// against side channels.
constexpr X86Extension x86_extensions[] = {
    {"sse3", 1, 0, ecx, 0},           {"pclmulqdq", 1, 0, ecx, 1},      {"ssse3", 1, 0, ecx, 9},
    {"fma", 1, 0, ecx, 12},           {"sse4.1", 1, 0, ecx, 19},        {"sse4.2", 1, 0, ecx, 20},
    {"movbe", 1, 0, ecx, 22},         {"popcnt", 1, 0, ecx, 23},        {"aes", 1, 0, ecx, 25},
    {"avx", 1, 0, ecx, 28},           {"f16c", 1, 0, ecx, 29},          {"bmi1", 7, 0, ebx, 3},
    {"avx2", 7, 0, ebx, 5},           {"bmi2", 7, 0, ebx, 8},           {"avx512f", 7, 0, ebx, 16},
    {"avx512dq", 7, 0, ebx, 17},      {"adx", 7, 0, ebx, 19},           {"avx512ifma", 7, 0, ebx, 21},
    {"avx512cd", 7, 0, ebx, 28},      {"sha", 7, 0, ebx, 29},           {"avx512bw", 7, 0, ebx, 30},
    {"avx512vl", 7, 0, ebx, 31},      {"avx512vbmi", 7, 0, ecx, 1},     {"avx512vbmi2", 7, 0, ecx, 6},
    {"gfni", 7, 0, ecx, 8},           {"vaes", 7, 0, ecx, 9},           {"vpclmulqdq", 7, 0, ecx, 10},
    {"avx512vnni", 7, 0, ecx, 11},    {"avx512bitalg", 7, 0, ecx, 12},  {"avx512vpopcntdq", 7, 0, ecx, 14},
    {"movdiri", 7, 0, ecx, 27},       {"movdir64b", 7, 0, ecx, 28},     {"avx512vp2intersect", 7, 0, edx, 8},
    {"amx-bf16", 7, 0, edx, 22},      {"avx512fp16", 7, 0, edx, 23},    {"amx-tile", 7, 0, edx, 24},
    {"amx-int8", 7, 0, edx, 25},      {"avx-vnni", 7, 1, eax, 4},       {"avx512bf16", 7, 1, eax, 5},
    {"amx-fp16", 7, 1, eax, 21},      {"avx-ifma", 7, 1, eax, 23},      {"avx-vnni-int8", 7, 1, edx, 4},
    {"avx-ne-convert", 7, 1, edx, 5}, {"amx-complex", 7, 1, edx, 8},    {"avx-vnni-int16", 7, 1, edx, 10},
    {"avx10", 7, 1, edx, 19},         {"lzcnt", 0x80000001, 0, ecx, 5}, {"sse4a", 0x80000001, 0, ecx, 6},
    {"xop", 0x80000001, 0, ecx, 11},  {"fma4", 0x80000001, 0, ecx, 16},
};

/// As the kernel names them in /proc/cpuinfo on Arm; a newer kernel knows more of them.
constexpr std::string_view arm_extensions[] = {"asimd",  "aes",     "pmull",   "sha1",    "sha2",    "sha3",
                                               "sha512", "crc32",   "atomics", "fphp",    "asimdhp", "fcma",
                                               "lrcpc",  "asimddp", "jscvt",   "sve",     "i8mm",    "bf16",
                                               "sve2",   "sveaes",  "sme",     "svei8mm", "svebf16", "sme2"};

std::string text_in(const CpuidRegisters& registers, std::initializer_list<Register> order) {
  std::string text;
  for (const Register one : order) {
    char bytes[sizeof(std::uint32_t)];
    std::memcpy(bytes, &registers[one], sizeof bytes);
    text.append(bytes, sizeof bytes);
  }
  return text.substr(0, text.find('\0'));
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// In the manuals' arithmetic.
std::string family_and_model(std::uint32_t signature) {
  constexpr std::uint32_t extended = 0xF;
  const std::uint32_t family = (signature >> 8U) & 0xFU;
  const std::uint32_t model = (signature >> 4U) & 0xFU;
  const bool has_more = family == extended || family == 6;
  return " family " + std::to_string(family == extended ? family + ((signature >> 20U) & 0xFFU) : family) +
         " model " + std::to_string(has_more ? model + (((signature >> 16U) & 0xFU) << 4U) : model);
}

}  // namespace

std::string x86_processor_text(const Cpuid& cpuid) {
  std::string name;
  for (std::uint32_t leaf = 0x80000002; leaf <= 0x80000004; ++leaf) {
    name += text_in(cpuid(leaf, 0), {eax, ebx, ecx, edx});
  }
  std::string text =
      trimmed(name) + ", " + text_in(cpuid(0, 0), {ebx, edx, ecx}) + family_and_model(cpuid(1, 0)[eax]) + ",";
  std::map<std::pair<std::uint32_t, std::uint32_t>, CpuidRegisters> asked;  // once each: a hypervisor answers
  for (const X86Extension& one : x86_extensions) {
    const auto [leaf, is_new] = asked.try_emplace({one.leaf, one.subleaf});
    if (is_new) {
      leaf->second = cpuid(one.leaf, one.subleaf);
    }
    if (((leaf->second[one.in] >> one.bit) & 1U) != 0) {
      text.append(" ").append(one.name);
    }
  }
  return text;
}

std::string processor_text_of(std::string_view cpuinfo) {
  std::string name = "unknown";
  std::string kind;
  std::string extensions;
  std::istringstream lines{std::string(cpuinfo)};
  // The first processor only: after it there is an empty line.
  for (std::string line; std::getline(lines, line) && !(line.empty() && !kind.empty());) {
    const std::size_t colon = line.find(':');
    const std::string field = trimmed(line.substr(0, colon));
    const std::string value = colon == std::string::npos ? "" : trimmed(line.substr(colon + 1));
    if (field == "model name" || field == "cpu") {
      name = value;
    } else if (field == "CPU implementer" || field == "CPU variant" || field == "CPU part") {
      kind += (kind.empty() ? "" : " ") + value;
    } else if (field == "Features") {
      std::istringstream words(value);
      const std::vector<std::string> all{std::istream_iterator<std::string>(words), {}};
      for (const std::string_view known : arm_extensions) {
        if (std::find(all.begin(), all.end(), known) != all.end()) {
          extensions.append(" ").append(known);
        }
      }
    }
  }
  return name + ", " + kind + "," + extensions;
}

std::string processor_text() {
  static const std::string text = [] {
#if defined(__x86_64__) || defined(__i386__)
    return x86_processor_text([](std::uint32_t leaf, std::uint32_t subleaf) {
      CpuidRegisters registers{};
      if (__get_cpuid_count(leaf, subleaf, &registers[eax], &registers[ebx], &registers[ecx],
                            &registers[edx]) == 0) {
        registers = {};
      }
      return registers;
    });
#else
    std::ifstream file("/proc/cpuinfo");
    return processor_text_of(std::string(std::istreambuf_iterator<char>(file), {}));
#endif
  }();
  return text;
}

}  // namespace contextual::storage
