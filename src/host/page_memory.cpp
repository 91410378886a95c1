#include "host/page_memory.hpp"

#include "core/containers.hpp"
#include "core/error.hpp"
#include "core/machine.hpp"
#include "core/numbers.hpp"
#include "host/thread_group.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <new>

#include <unistd.h>

namespace hpart
{

namespace
{

// Left to memory that is not counted: stacks, page tables and small arrays, whose use takes less time than reading the limits.
constexpr std::int64_t uncounted_bytes = std::int64_t{8} << 20;
constexpr std::int64_t uncounted_part = 64;

std::int64_t machine_memory_bytes()
{
    const auto pages = ::sysconf(_SC_PHYS_PAGES);
    const auto page_size = ::sysconf(_SC_PAGESIZE);
    return pages > 0 && page_size > 0 ? std::int64_t{pages} * page_size : std::numeric_limits<std::int64_t>::max();
}

// One core alone is given pages ten times as slowly as all write them.
void write_pages(void *memory, std::int64_t bytes)
{
    constexpr auto part_bytes = static_cast<std::int64_t>(huge_page_bytes);
    auto *const first = static_cast<volatile std::byte *>(memory);
    OwnThreads threads;
    threads.for_each((bytes + part_bytes - 1) / part_bytes, [&](std::int64_t part) {
        const auto end = std::min(bytes, (part + 1) * part_bytes);
        for (auto at = part * part_bytes; at < end; at += page_bytes) first[at] = std::byte{};
    });
}

PageMemory reserve_pages(std::int64_t bytes)
{
    // The system promises more memory than it has and ends the process when that is used.
    if (!is_usable_memory(bytes))
        fail(Status::out_of_memory, bytes,
             " bytes are more than the memory of this machine, or what its control group leaves to this process, ",
             usable_memory_bytes(), " bytes");
    const auto pages = (std::max<std::int64_t>(bytes, 1) - 1) / page_bytes + 1;
    const auto rounded = static_cast<std::size_t>(pages * page_bytes);
    PageMemory memory(std::aligned_alloc(page_bytes, rounded));
    if (!memory) fail(Status::out_of_memory, "the host has no ", bytes, " bytes of memory left");
    ask_for_huge_pages(memory.get(), rounded);
    return memory;
}

} // namespace

std::int64_t usable_memory_bytes()
{
    const auto of_machine = machine_memory_bytes(), of_group = group_memory_left();
    if (of_group >= of_machine) return of_machine;
    return std::max<std::int64_t>(of_group - of_group / uncounted_part - uncounted_bytes, 0);
}

bool is_usable_memory(std::int64_t bytes) { return bytes <= uncounted_bytes || bytes <= usable_memory_bytes(); }

void require_usable_memory(std::int64_t bytes, std::string_view what)
{
    if (!is_usable_memory(bytes))
        fail(Status::out_of_memory, what, " may take ", bytes, " bytes; this machine, or its control group, leaves ",
             usable_memory_bytes(), " bytes to this process");
}

void take_pages(void *memory, std::int64_t bytes)
{
    if (bytes > uncounted_bytes && group_memory_left() < machine_memory_bytes()) write_pages(memory, bytes);
}

PageMemory allocate_pages(std::int64_t bytes)
{
    auto memory = reserve_pages(bytes);
    take_pages(memory.get(), bytes);
    return memory;
}

PageMemory allocate_ready_pages(std::int64_t bytes)
{
    auto memory = reserve_pages(bytes);
    write_pages(memory.get(), bytes);
    return memory;
}

namespace
{

constexpr std::size_t alignment = 64;

} // namespace

template <typename Real> HostBufferOf<Real>::HostBufferOf(std::int64_t rows, std::int64_t columns)
{
    const auto count = checked_mul(rows, columns);
    const auto bytes = count ? checked_mul(*count, sizeof(Real)) : std::nullopt;
    if (!bytes || !is_usable_memory(*bytes))
        fail(Status::out_of_memory, "a matrix of ", rows, " x ", columns,
             " numbers is larger than the memory of this machine, or what its control group leaves to this process, ",
             usable_memory_bytes(), " bytes");
    count_ = static_cast<std::size_t>(*count);
    const auto whole_lines = (static_cast<std::size_t>(*bytes) + alignment - 1) / alignment * alignment;
    data_.reset(static_cast<Real *>(std::aligned_alloc(alignment, whole_lines)));
    if (!data_) throw std::bad_alloc();
    take_pages(data_.get(), *bytes);
}

template class HostBufferOf<float>;
template class HostBufferOf<double>;

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
