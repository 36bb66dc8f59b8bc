#pragma once

/// \file
/// What kind of processor this is: the best config of host code may depend on it, and whether it can run.

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace contextual::storage {

/// Returns name, vendor, family and model of this machine's processor, and those of its instruction-set
/// extensions that programs compute with. Nothing in it depends on the kernel or the microcode.
std::string processor_text();

/// The registers eax, ebx, ecx and edx.
using CpuidRegisters = std::array<std::uint32_t, 4>;
/// Answers a leaf and a subleaf; zeros for a leaf that it does not have.
using Cpuid = std::function<CpuidRegisters(std::uint32_t leaf, std::uint32_t subleaf)>;

/// As `processor_text`, of an x86 processor. Pure.
std::string x86_processor_text(const Cpuid& cpuid);
/// The same from a text as /proc/cpuinfo has it on Arm and others. Pure.
std::string processor_text_of(std::string_view cpuinfo);

}  // namespace contextual::storage
