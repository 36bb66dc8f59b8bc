#include "contextual/storage/processor.hpp"

#include "support/catch.hpp"

#include <contextual/detail/storage/machine.hpp>

#include <cstring>

namespace processor_test {

using namespace contextual::storage;

namespace {

using Answers = std::map<std::pair<std::uint32_t, std::uint32_t>, CpuidRegisters>;

CpuidRegisters text_of(const char* sixteen) {
  CpuidRegisters registers{};
  std::memcpy(registers.data(), sixteen, sizeof registers);
  return registers;
}

/// A virtual machine's name says nothing.
Answers sapphire_rapids() {
  return {{{0x80000002, 0}, text_of("Intel(R) Xeon(R)")},
          {{0x80000003, 0}, text_of(" Processor\0\0\0\0\0\0")},
          {{0, 0}, {0x20, 0x756e6547, 0x6c65746e, 0x49656e69}},
          {{1, 0}, {0x000806f8, 0x01020800, 0xfffa3203, 0x0f8bfbff}},
          {{7, 0}, {2, 0xf1bf07ab, 0x1b415f6e, 0xbfc14410}}};
}

std::string text_of(const Answers& answers) {
  return x86_processor_text([&](std::uint32_t leaf, std::uint32_t subleaf) {
    const auto found = answers.find({leaf, subleaf});
    return found == answers.end() ? CpuidRegisters{} : found->second;
  });
}

}  // namespace

TEST_CASE("processor: vendor, family, model and extensions tell processors of one name apart") {
  const Answers answers = sapphire_rapids();
  const std::string text = text_of(answers);
  CHECK(text.starts_with("Intel(R) Xeon(R) Processor, GenuineIntel family 6 model 143, sse3 "));
  CHECK_THAT(text, ContainsAll(" avx2 ", " avx512f "));
  Answers without = answers;
  without[{7, 0}][1] &= ~(1U << 16U);
  CHECK_THAT(text_of(without), !ContainsSubstring("avx512f ") && ContainsSubstring(" avx2 "));
  Answers older = answers;
  older[{1, 0}][0] = 0x00050657;
  CHECK_THAT(text_of(older), ContainsSubstring("family 6 model 85"));
  Answers of_amd = answers;
  of_amd[{0, 0}] = {0x10, 0x68747541, 0x444d4163, 0x69746e65};
  of_amd[{1, 0}][0] = 0x00a20f12;
  CHECK_THAT(text_of(of_amd), ContainsSubstring("AuthenticAMD family 25 model 33"));
}

TEST_CASE("processor: what kernels, hypervisors and microcode change does not count") {
  const std::string text = text_of(sapphire_rapids());
  Answers changed = sapphire_rapids();
  changed[{1, 0}][0] += 1;                                                      // stepping
  changed[{1, 0}][1] = 0x07040800;                                              // where it runs
  changed[{1, 0}][2] ^= (1U << 27U) | (1U << 31U);                              // OSXSAVE, a hypervisor
  changed[{7, 0}][1] ^= (1U << 4U) | (1U << 11U);                               // TSX
  changed[{7, 0}][2] ^= 1U << 4U;                                               // OSPKE
  changed[{7, 0}][3] ^= (1U << 26U) | (1U << 27U) | (1U << 10U) | (1U << 11U);  // side channels
  CHECK(text_of(changed) == text);
}

TEST_CASE("processor: on Arm, implementer, part and extensions that programs compute with") {
  const std::string neoverse =
      "processor\t: 0\nBogoMIPS\t: 2000.00\nFeatures\t: fp asimd aes crc32 cpuid sve bf16 ssbs sb\n"
      "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x0\nCPU part\t: 0xd4f\n"
      "CPU revision\t: 0\n\nprocessor\t: 1\nCPU part\t: 0xd40\n";
  CHECK(processor_text_of(neoverse) == "unknown, 0x41 0x0 0xd4f, asimd aes crc32 sve bf16");
  CHECK(processor_text_of("") == "unknown, ,");
}

TEST_CASE("processor: a machine has it, and is one line") {
  CHECK(processor_text().find('\n') == std::string::npos);
  CHECK(contextual::detail::this_machine().at("processor").starts_with(processor_text() + ", "));
}

}  // namespace processor_test
