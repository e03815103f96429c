#include "plumb/data/name_codes.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

namespace plumb {
namespace {

__extension__ using Wide = unsigned __int128;

template <class Word>
std::uint64_t load(const char* p) noexcept {
  Word word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

std::uint64_t mix(std::uint64_t a, std::uint64_t b) noexcept {
  const Wide product = Wide{a} * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// After wyhash (Wang Yi, public domain): eight bytes at a time are multiplied in, the last of them possibly twice.
std::uint32_t name_hash(std::string_view text) noexcept {
  const char* p = text.data();
  std::size_t left = text.size();
  std::uint64_t state = 0xA0761D6478BD642F ^ left;
  for (; left > 8; p += 8, left -= 8) state = mix(state ^ load<std::uint64_t>(p), 0xE7037ED1A0B428DB);
  std::uint64_t last = 0;
  if (left >= 4) {
    last = load<std::uint32_t>(p) << 32 | load<std::uint32_t>(p + left - 4);
  } else if (left > 0) {
    for (const std::size_t i : {std::size_t{0}, left / 2, left - 1})
      last = last << 8 | static_cast<unsigned char>(p[i]);
  }
  return static_cast<std::uint32_t>(mix(mix(state ^ last, 0x8EBC6AF09C88C6E3) ^ text.size(), 0x589965CC75374CC3) >> 32);
}

}  // namespace

std::uint32_t NameCodes::code(std::string_view name, std::vector<std::string>& names) {
  if (2 * (names.size() + 1) > slots_.size()) grow();
  const std::uint32_t hash = name_hash(name);
  for (std::size_t at = hash;; ++at) {
    Slot& slot = slots_[at & (slots_.size() - 1)];
    if (slot.code == 0) {
      names.emplace_back(name);
      slot = {hash, static_cast<std::uint32_t>(names.size())};
      return slot.code - 1;
    }
    if (slot.hash == hash && names[slot.code - 1] == name) return slot.code - 1;
  }
}

// No name was added after it in its run of slots, so the slot may just be freed.
void NameCodes::forget_last(std::vector<std::string>& names) {
  std::size_t at = name_hash(names.back());
  while (slots_[at & (slots_.size() - 1)].code != names.size()) ++at;
  slots_[at & (slots_.size() - 1)] = {};
  names.pop_back();
}

void NameCodes::grow() {
  std::vector<Slot> larger(std::max<std::size_t>(16, 2 * slots_.size()));
  for (const Slot& slot : slots_) {
    if (slot.code == 0) continue;
    std::size_t at = slot.hash;
    while (larger[at & (larger.size() - 1)].code != 0) ++at;
    larger[at & (larger.size() - 1)] = slot;
  }
  slots_ = std::move(larger);
}

}  // namespace plumb
