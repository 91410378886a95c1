// Arrays that begin on a cache line, as wide vector instructions like them.
#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <vector>

namespace hpart
{

template <typename Value> struct CacheLineAllocator {
    using value_type = Value;
    static constexpr std::size_t cache_line_bytes = 64;

    CacheLineAllocator() = default;
    template <typename Other> CacheLineAllocator(const CacheLineAllocator<Other> &) {}

    Value *allocate(std::size_t count)
    {
        if (count > std::numeric_limits<std::size_t>::max() / sizeof(Value)) throw std::bad_array_new_length();
        return static_cast<Value *>(::operator new (count * sizeof(Value), std::align_val_t{cache_line_bytes}));
    }
    void deallocate(Value *values, std::size_t) { ::operator delete (values, std::align_val_t{cache_line_bytes}); }

    template <typename Other> bool operator==(const CacheLineAllocator<Other> &) const { return true; }
};

template <typename Value> using AlignedVector = std::vector<Value, CacheLineAllocator<Value>>;

} // namespace hpart
