// Memory in whole pages, from the system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
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

// Memory of a kernel on the host.

// Numbers at an address that every vector unit likes, not yet touched: the thread that writes them first has them near.
template <typename Real> class HostBufferOf
{
  public:
    HostBufferOf() = default;
    // rows x columns; Status::out_of_memory when that is more than this machine has.
    HostBufferOf(std::int64_t rows, std::int64_t columns);

    Real *data() { return data_.get(); }
    const Real *data() const { return data_.get(); }
    std::size_t bytes() const { return count_ * sizeof(Real); }
    std::span<const Real> values() const { return {data_.get(), count_}; }

  private:
    struct Free {
        void operator()(Real *data) const { std::free(data); }
    };
    std::unique_ptr<Real[], Free> data_;
    std::size_t count_ = 0;
};

using HostBuffer = HostBufferOf<double>;

// Copies of rectangles far larger than the caches near a core.

// `rows` rows of `row_bytes`. Rows of each side lie its pitch apart; the sides do not overlap.
struct RectangleCopy {
    void *to = nullptr;
    std::int64_t to_pitch_bytes = 0;
    const void *from = nullptr;
    std::int64_t from_pitch_bytes = 0;
    std::int64_t rows = 0, row_bytes = 0;
};

// For data used soon: fills the caches, and prefetches rows, which the processor does not do by itself beyond a page.
void copy_with_prefetch(const RectangleCopy &copy);

// For data used late: stores bypass the caches, which keep other data.
void copy_past_caches(const RectangleCopy &copy);

} // namespace hpart
