#include "host/page_memory.hpp"

#include "core/aligned.hpp"
#include "core/control_groups.hpp"
#include "core/error.hpp"
#include "host/own_threads.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include <unistd.h>

namespace hpart
{

std::int64_t usable_memory_bytes()
{
    const auto pages = ::sysconf(_SC_PHYS_PAGES);
    const auto page_size = ::sysconf(_SC_PAGESIZE);
    const auto of_machine =
        pages > 0 && page_size > 0 ? std::int64_t{pages} * page_size : std::numeric_limits<std::int64_t>::max();
    return std::min(of_machine, group_memory_left());
}

PageMemory allocate_pages(std::int64_t bytes)
{
    // The system promises more memory than it has and ends the process when that is used.
    if (const auto usable = usable_memory_bytes(); bytes > usable)
        fail(Status::out_of_memory, bytes,
             " bytes are more than the memory of this machine, or what its control group leaves to this process, ",
             usable, " bytes");
    const auto pages = (std::max<std::int64_t>(bytes, 1) - 1) / page_bytes + 1;
    const auto rounded = static_cast<std::size_t>(pages * page_bytes);
    PageMemory memory(std::aligned_alloc(page_bytes, rounded));
    if (!memory) fail(Status::out_of_memory, "the host has no ", bytes, " bytes of memory left");
    ask_for_huge_pages(memory.get(), rounded);
    return memory;
}

PageMemory allocate_ready_pages(std::int64_t bytes)
{
    auto memory = allocate_pages(bytes);
    constexpr auto part_bytes = static_cast<std::int64_t>(huge_page_bytes);
    auto *const first = static_cast<volatile std::byte *>(memory.get());
    OwnThreads threads;
    threads.for_each((bytes + part_bytes - 1) / part_bytes, [&](std::int64_t part) {
        const auto end = std::min(bytes, (part + 1) * part_bytes);
        for (auto at = part * part_bytes; at < end; at += page_bytes) first[at] = std::byte{};
    });
    return memory;
}

} // namespace hpart
