// Exact sums of doubles by another way than the library's: expansions of doubles that do not overlap (Shewchuk, Discrete and
// Computational Geometry 18, 1997), rounded as Python's math.fsum does.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

namespace support
{

class Expansion
{
  public:
    Expansion() = default;
    explicit Expansion(double value) { add(value); }
    Expansion(const Expansion &other) : count_(other.count_)
    {
        std::copy_n(other.parts_.begin(), count_, parts_.begin());
    }
    Expansion &operator=(const Expansion &other)
    {
        count_ = other.count_;
        std::copy_n(other.parts_.begin(), count_, parts_.begin());
        return *this;
    }
    ~Expansion() = default;

    // Sums must stay finite.
    void add(double x)
    {
        std::size_t kept = 0;
        for (std::size_t k = 0; k < count_; ++k) {
            auto y = parts_[k];
            if (std::abs(x) < std::abs(y)) std::swap(x, y);
            const auto high = x + y;
            const auto low = y - (high - x);
            if (low != 0) parts_[kept++] = low;
            x = high;
        }
        if (x != 0) parts_[kept++] = x;
        count_ = kept;
    }
    void add_product(double a, double b)
    {
        add(a * b);
        add(std::fma(a, b, -(a * b)));
    }
    friend Expansion operator+(Expansion a, double b)
    {
        a.add(b);
        return a;
    }

    friend bool operator<(const Expansion &a, const Expansion &b) { return a.minus(b) < 0; }
    friend bool operator<=(const Expansion &a, const Expansion &b) { return a.minus(b) <= 0; }
    friend bool operator==(const Expansion &a, const Expansion &b) { return a.minus(b) == 0; }

    double rounded() const
    {
        double high = 0;
        double low = 0;
        auto k = count_;
        while (k > 0) {
            const auto x = high;
            const auto y = parts_[--k];
            high = x + y;
            low = y - (high - x);
            if (low != 0) break;
        }
        // Half way between two doubles: the rest decides.
        if (k > 0 && ((low < 0 && parts_[k - 1] < 0) || (low > 0 && parts_[k - 1] > 0))) {
            const auto moved = high + low * 2;
            if (low * 2 == moved - high) high = moved;
        }
        return high;
    }

  private:
    // The largest part of the difference: it has its sign.
    double minus(Expansion other) const
    {
        for (std::size_t k = 0; k < other.count_; ++k) other.parts_[k] = -other.parts_[k];
        for (std::size_t k = 0; k < count_; ++k) other.add(parts_[k]);
        return other.count_ == 0 ? 0 : other.parts_[other.count_ - 1];
    }

    std::array<double, 48> parts_; // by rising magnitude
    std::size_t count_ = 0;
};

} // namespace support
