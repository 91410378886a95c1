// The matrix Mem of the searches: the knowledge about each workload left at each level, or for so many copies. As printed it has a
// cell for every workload up to n; here the cells are made as they are visited, so that any sizes fit and memory_limit holds.
#pragma once

#include "core/error.hpp"
#include "partitioners/search/limits.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hpart
{

// Bytes in use, which may not exceed the limit.
class MemoryBudget
{
  public:
    explicit MemoryBudget(std::int64_t limit_bytes) : limit_(limit_bytes) {}

    void take(std::size_t bytes)
    {
        used_ += static_cast<std::int64_t>(bytes);
        if (used_ > limit_) fail_memory(limit_);
    }
    void give_back(std::size_t bytes) { used_ -= static_cast<std::int64_t>(bytes); }

  private:
    std::int64_t limit_;
    std::int64_t used_ = 0;
};

template <typename Cell> class SolutionMemory
{
  public:
    SolutionMemory(std::size_t levels, MemoryBudget &budget) : budget_(budget), rows_(levels) {}

    // Null when there is none yet. A pointer holds until the next call of `at` for that level.
    Cell *find(std::size_t level, std::int64_t workload)
    {
        auto &row = rows_[level];
        if (row.slots.empty()) return nullptr;
        auto &slot = row.slots[place_of(row, workload)];
        return slot.workload == workload ? &slot.cell : nullptr;
    }

    // The cell of a workload that has one.
    const Cell &known(std::size_t level, std::int64_t workload)
    {
        const auto *const cell = find(level, workload);
        if (cell == nullptr) fail(Status::internal, "no solution of workload ", workload, " is saved on level ", level);
        return *cell;
    }

    // The cell, made if there is none yet.
    Cell &at(std::size_t level, std::int64_t workload)
    {
        auto &row = rows_[level];
        if (row.used * 4 >= row.slots.size() * 3) grow(row);
        auto &slot = row.slots[place_of(row, workload)];
        if (slot.workload != workload) {
            slot.workload = workload;
            ++row.used;
        }
        return slot.cell;
    }

  private:
    static constexpr int first_bits = 4; // 16 slots to begin with

    struct Slot {
        std::int64_t workload = -1; // free
        Cell cell{};
    };

    // Open addressing; as many slots as the bits can tell, a quarter or more of them free.
    struct Row {
        std::vector<Slot> slots;
        std::size_t used = 0;
        int bits = first_bits - 1;
    };

    static std::size_t place_of(const Row &row, std::int64_t workload)
    {
        constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15; // of 2^64: spreads neighbours and multiples
        auto place = static_cast<std::size_t>((static_cast<std::uint64_t>(workload) * golden_ratio) >> (64 - row.bits));
        while (row.slots[place].workload != workload && row.slots[place].workload >= 0)
            place = (place + 1) & (row.slots.size() - 1);
        return place;
    }

    void grow(Row &row)
    {
        const auto old_bytes = row.slots.size() * sizeof(Slot);
        Row larger;
        larger.bits = row.bits + 1;
        larger.used = row.used;
        budget_.take(sizeof(Slot) << larger.bits);
        larger.slots.resize(std::size_t{1} << larger.bits);
        for (const auto &slot : row.slots)
            if (slot.workload >= 0) larger.slots[place_of(larger, slot.workload)] = slot;
        row = std::move(larger);
        budget_.give_back(old_bytes);
    }

    MemoryBudget &budget_;
    std::vector<Row> rows_;
};

} // namespace hpart
