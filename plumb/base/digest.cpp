#include "plumb/base/digest.h"

#define XXH_INLINE_ALL  // users see no symbol of the hash library, and need no shared library
#include <xxhash.h>

namespace plumb {
namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

}  // namespace

struct Digest128::State {
  XXH3_state_t xxh3;
};

std::uint64_t digest64(std::span<const std::byte> bytes) noexcept { return XXH3_64bits(bytes.data(), bytes.size()); }

std::uint64_t digest64(std::string_view bytes) noexcept { return XXH3_64bits(bytes.data(), bytes.size()); }

std::array<std::uint64_t, 2> digest128(std::string_view bytes) noexcept {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.high64, hash.low64};
}

Digest128::Digest128() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->xxh3); }
Digest128::Digest128(Digest128&&) noexcept = default;
Digest128& Digest128::operator=(Digest128&&) noexcept = default;
Digest128::~Digest128() = default;

void Digest128::add(std::span<const std::byte> bytes) noexcept {
  if (!bytes.empty()) XXH3_128bits_update(&state_->xxh3, bytes.data(), bytes.size());
}

void Digest128::add(std::string_view bytes) noexcept { add(std::as_bytes(std::span(bytes))); }

std::array<std::uint64_t, 2> Digest128::value() const noexcept {
  const XXH128_hash_t hash = XXH3_128bits_digest(&state_->xxh3);
  return {hash.high64, hash.low64};
}

std::string Digest128::hex() const {
  const auto [high, low] = value();
  return hex16(high) + hex16(low);
}

std::string hex16(std::uint64_t value) {
  std::string text(16, '0');
  for (std::size_t i = text.size(); i-- > 0; value >>= 4) text[i] = hex_digits[value & 15];
  return text;
}

std::optional<std::uint64_t> parse_hex16(std::string_view text) noexcept {
  if (text.size() != 16) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    const std::size_t digit = hex_digits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    value = value << 4 | digit;
  }
  return value;
}

}  // namespace plumb
