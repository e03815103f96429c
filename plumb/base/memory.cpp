#include "plumb/base/memory.h"

#include <cmath>

#include "plumb/base/error.h"
#include "plumb/base/machine.h"
#include "plumb/base/number.h"

namespace plumb {

namespace {

// A tenth more than this, in whole units, as the option reads it.
std::string size_to_grant(std::uint64_t bytes) {
  double size = 1.1 * static_cast<double>(bytes) / 1000;
  std::string_view units = "kMGT";
  for (; units.size() > 1 && size >= 10'000; units.remove_prefix(1)) size /= 1000;
  return std::to_string(static_cast<std::uint64_t>(std::ceil(size))) + units[0];
}

}  // namespace

void MemoryBudget::expect(std::uint64_t bytes, const std::string& what, const std::string& less) const {
  if (allows(bytes)) return;
  throw Error(ErrorCode::resources, what + " about " + bytes_text(bytes) + "; " + bytes_text(limit_) + " are granted",
              less + ", or --max-memory " + size_to_grant(bytes) + " if the machine has it");
}

MemoryBudget MemorySize::budget() const {
  if (bytes != 0) return MemoryBudget(bytes);
  const auto granted = machine_memory();
  return granted ? MemoryBudget(*granted) : MemoryBudget();
}

MemorySize OptionText<MemorySize>::read(std::string_view text) {
  constexpr std::string_view kLetters = "kmgt";
  std::string_view digits = text;
  const auto ends_with = [&](char letter) { return !digits.empty() && (digits.back() | 0x20) == letter; };
  if (ends_with('b')) digits.remove_suffix(1);
  const bool binary = ends_with('i');
  if (binary) digits.remove_suffix(1);
  int power = 0;
  for (std::size_t i = 0; i < kLetters.size() && power == 0; ++i)
    if (ends_with(kLetters[i])) power = static_cast<int>(i) + 1;
  if (power != 0) digits.remove_suffix(1);
  const ParsedNumber number = parse_number(digits);
  const double bytes = number.value * std::pow(binary ? 1024.0 : 1000.0, power);
  if (number.fault != NumberFault::none || (binary && power == 0) || !(bytes >= 1) || !(bytes < 0x1p63))
    throw OptionFault{"a size such as 500M, 4G or 1.5Gi"};
  return {static_cast<std::uint64_t>(bytes)};
}

std::string OptionText<MemorySize>::text(const MemorySize& size) { return std::to_string(size.bytes); }

}  // namespace plumb
