// Arrays that begin on a cache line, as wide vector instructions like them.
#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace hpart
{

constexpr std::size_t huge_page_bytes = std::size_t{1} << 21;

// Large arrays are on huge pages where the system has them: written for the first time and read at random several times as fast.
inline void ask_for_huge_pages([[maybe_unused]] void *memory, [[maybe_unused]] std::size_t bytes)
{
#if defined(__linux__)
    if (bytes >= huge_page_bytes) madvise(memory, bytes, MADV_HUGEPAGE); // advice: may fail
#endif
}

template <typename Value> struct CacheLineAllocator {
    using value_type = Value;
    static constexpr std::size_t cache_line_bytes = 64;

    static std::align_val_t alignment(std::size_t bytes)
    {
        return std::align_val_t{bytes >= huge_page_bytes ? huge_page_bytes : cache_line_bytes};
    }

    CacheLineAllocator() = default;
    template <typename Other> CacheLineAllocator(const CacheLineAllocator<Other> &) {}

    Value *allocate(std::size_t count)
    {
        if (count > std::numeric_limits<std::size_t>::max() / sizeof(Value)) throw std::bad_array_new_length();
        const auto bytes = count * sizeof(Value);
        auto *memory = ::operator new(bytes, alignment(bytes));
        ask_for_huge_pages(memory, bytes);
        return static_cast<Value *>(memory);
    }
    void deallocate(Value *values, std::size_t count) { ::operator delete(values, alignment(count * sizeof(Value))); }

    template <typename Other> bool operator==(const CacheLineAllocator<Other> &) const { return true; }
};

template <typename Value> using AlignedVector = std::vector<Value, CacheLineAllocator<Value>>;

} // namespace hpart
