#include "host/rectangle_copy.hpp"

#include <algorithm>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace hpart
{

namespace
{

constexpr std::int64_t line_bytes = 64;

#ifdef __SSE2__
void copy_row(char *to, const char *from, std::size_t bytes)
{
    constexpr std::size_t line = line_bytes;
    const auto head = std::min(bytes, (line - reinterpret_cast<std::uintptr_t>(to) % line) % line);
    std::memcpy(to, from, head);
    auto at = head;
    for (; at + line <= bytes; at += line) {
        // Whole lines, or the stores wait for one another.
        const auto *const source = reinterpret_cast<const __m128i *>(from + at);
        auto *const target = reinterpret_cast<__m128i *>(to + at);
        const auto a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1), c = _mm_loadu_si128(source + 2),
                   d = _mm_loadu_si128(source + 3);
        _mm_stream_si128(target, a);
        _mm_stream_si128(target + 1, b);
        _mm_stream_si128(target + 2, c);
        _mm_stream_si128(target + 3, d);
    }
    std::memcpy(to + at, from + at, bytes - at);
}

void settle() { _mm_sfence(); } // streamed stores are seen by others only after it
#else
void copy_row(char *to, const char *from, std::size_t bytes) { std::memcpy(to, from, bytes); }
void settle() {}
#endif

} // namespace

void copy_with_prefetch(const RectangleCopy &copy)
{
    constexpr std::int64_t rows_ahead = 2, piece_bytes = 1024;
    const auto *const source = static_cast<const char *>(copy.from);
    auto *const target = static_cast<char *>(copy.to);
    for (std::int64_t row = 0; row < copy.rows; ++row) {
        const auto *const from = source + row * copy.from_pitch_bytes;
        const auto *const ahead = source + std::min(row + rows_ahead, copy.rows - 1) * copy.from_pitch_bytes;
        for (std::int64_t at = 0; at < copy.row_bytes; at += piece_bytes) {
            const auto bytes = std::min(piece_bytes, copy.row_bytes - at);
            for (std::int64_t line = 0; line < bytes; line += line_bytes) __builtin_prefetch(ahead + at + line);
            std::memcpy(target + row * copy.to_pitch_bytes + at, from + at, static_cast<std::size_t>(bytes));
        }
    }
}

void copy_past_caches(const RectangleCopy &copy)
{
    for (std::int64_t row = 0; row < copy.rows; ++row)
        copy_row(static_cast<char *>(copy.to) + row * copy.to_pitch_bytes,
                 static_cast<const char *>(copy.from) + row * copy.from_pitch_bytes,
                 static_cast<std::size_t>(copy.row_bytes));
    settle();
}

} // namespace hpart
