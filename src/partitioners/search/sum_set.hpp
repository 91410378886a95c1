// A set of integers from 0 up to a highest one, such as sums: a sorted list, or a row of bits where that takes less.
#pragma once

#include "core/numbers.hpp"
#include "partitioners/search/choices.hpp"
#include "partitioners/search/subset_sum.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace hpart
{

class SumSet
{
  public:
    enum class Begin : std::uint8_t { as_list, as_bits };

    // Takes at most so many bytes; else Status::limit.
    SumSet(std::int64_t highest, Begin begin, std::int64_t most_bytes) : highest_(highest), most_bytes_(most_bytes)
    {
        if (begin == Begin::as_bits) use_bits();
    }

    // One word more than needed, so that a shift may read beyond.
    static std::int64_t bytes_of_bits(std::int64_t highest) { return highest / 8 + 16; }

    std::int64_t bytes() const
    {
        return bits_ ? bytes_of_bits(highest_) : static_cast<std::int64_t>(list_.capacity() * sizeof(std::int64_t));
    }

    void add_zero()
    {
        if (bits_)
            bits_->set(0);
        else
            list_.push_back(0);
    }

    // Adds the sums of the other set, which is settled, with the shift added, but none below 0 or above this set's highest. The
    // shift may be negative.
    void add_shifted(const SumSet &other, std::int64_t shift, Pacer &pacer)
    {
        make_room(other.bits_ ? other.highest_ / BitRow::word_bits : static_cast<std::int64_t>(other.list_.size()),
                  pacer);
        if (bits_ && other.bits_ && shift >= 0) {
            const auto last = BitRow::word_of(std::min(highest_, saturating_add(other.highest_, shift)));
            bits_->or_shifted(*other.bits_, shift, last);
            pacer.spend(static_cast<std::int64_t>(last) + 1);
            return;
        }
        other.for_each(std::max<std::int64_t>(0, -shift), saturating_add(highest_, -shift), [&](std::int64_t value) {
            if (bits_)
                bits_->set(value + shift);
            else
                list_.push_back(value + shift);
            pacer.spend(1);
        });
    }

    // After the last one was added.
    void settle(Pacer &pacer)
    {
        if (bits_) return;
        std::sort(list_.begin(), list_.end(), paced(pacer, std::less<>()));
        list_.erase(std::unique(list_.begin(), list_.end()), list_.end());
    }

    // False beyond the highest one, whatever a shift has left in the last word.
    bool has(std::int64_t value) const
    {
        if (value < 0 || value > highest_) return false;
        if (bits_) return bits_->test(value);
        return std::binary_search(list_.begin(), list_.end(), value);
    }

    // The values of this settled set with one of these added to each, none above the highest: settled, too.
    SumSet plus_one_of(std::span<const std::int64_t> values, std::int64_t unit, Pacer &pacer) const
    {
        SumSet sums(highest_, bits_ ? Begin::as_bits : Begin::as_list, most_bytes_);
        for (const auto value : values)
            if (value / unit <= highest_) sums.add_shifted(*this, value / unit, pacer);
        sums.settle(pacer);
        return sums;
    }

    // The values in [least, most], increasing.
    template <typename Visit> void for_each(std::int64_t least, std::int64_t most, const Visit &visit) const
    {
        if (bits_) {
            for (auto w = BitRow::word_of(std::max<std::int64_t>(least, 0)); w < bits_->words(); ++w)
                for (auto left = bits_->word(w); left != 0; left &= left - 1) {
                    const auto value = static_cast<std::int64_t>(w) * BitRow::word_bits + std::countr_zero(left);
                    if (value > most || value > highest_) return;
                    if (value >= least) visit(value);
                }
            return;
        }
        for (auto value = std::lower_bound(list_.begin(), list_.end(), least); value != list_.end() && *value <= most;
             ++value)
            visit(*value);
    }

    // The nearest values on both sides of one, if there are any.
    std::optional<std::int64_t> nearest_below(std::int64_t value) const
    {
        if (!bits_) {
            const auto above = std::lower_bound(list_.begin(), list_.end(), value);
            return above == list_.begin() ? std::nullopt : std::optional(*(above - 1));
        }
        for (auto below = std::min(value - 1, highest_); below >= 0; --below)
            if (bits_->test(below)) return below;
        return std::nullopt;
    }
    std::optional<std::int64_t> nearest_above(std::int64_t value) const
    {
        if (!bits_) {
            const auto above = std::upper_bound(list_.begin(), list_.end(), value);
            return above == list_.end() ? std::nullopt : std::optional(*above);
        }
        for (auto above = std::max<std::int64_t>(value + 1, 0); above <= highest_; ++above)
            if (bits_->test(above)) return above;
        return std::nullopt;
    }

  private:
    static constexpr std::int64_t short_list = 4096;

    void use_bits()
    {
        if (bytes_of_bits(highest_) > most_bytes_) fail_memory(most_bytes_);
        bits_.emplace(highest_ + BitRow::word_bits);
        for (const auto value : list_) bits_->set(value);
        list_ = {};
    }

    void make_room(std::int64_t count, Pacer &pacer)
    {
        const auto needed = [&] { return static_cast<std::int64_t>(list_.size()) + count; };
        if (bits_ || needed() <= room_) return;
        settle(pacer);
        if (needed() > highest_ / BitRow::word_bits) return use_bits();
        room_ = std::max(short_list, 2 * needed());
        if (room_ > most_bytes_ / static_cast<std::int64_t>(2 * sizeof(std::int64_t))) fail_memory(most_bytes_);
    }

    std::int64_t highest_;
    std::int64_t most_bytes_;
    std::int64_t room_ = short_list;
    std::vector<std::int64_t> list_;
    std::optional<BitRow> bits_;
};

} // namespace hpart
