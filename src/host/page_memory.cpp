#include "host/page_memory.hpp"

#include "core/containers.hpp"
#include "core/error.hpp"
#include "core/machine.hpp"
#include "host/own_threads.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

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

} // namespace hpart
