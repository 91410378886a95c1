// Memory in whole pages, from the system.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace hpart
{

constexpr std::int64_t page_bytes = 4096;

struct FreePages {
    void operator()(void *memory) const { std::free(memory); }
};
using PageMemory = std::unique_ptr<void, FreePages>;

// At least one page; on huge pages where the system has them. Status::out_of_memory when there is no more.
PageMemory allocate_pages(std::int64_t bytes);

// Given by the system now, to all cores of the caller at once: one alone gets it ten times as slowly as these write it.
PageMemory allocate_ready_pages(std::int64_t bytes);

// The machine's memory, or less where a control group leaves less to this process.
std::int64_t usable_memory_bytes();
// Small memory always is: some megabytes are left to it.
bool is_usable_memory(std::int64_t bytes);
// Fails with Status::out_of_memory if it is not: a process that exceeds its group's limit is killed without a word.
void require_usable_memory(std::int64_t bytes, std::string_view what);
// Writes to each page if a control group has a limit, which counts pages from their first write on.
void take_pages(void *memory, std::int64_t bytes);

} // namespace hpart
