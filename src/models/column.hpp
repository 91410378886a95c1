// One quantity of a function, point by point. The idle point's value, 0, stands before the first: partitioners use the array as it is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace hpart
{

template <typename Value> class Column
{
  public:
    using value_type = Value;
    using const_iterator = const Value *;

    Column() : Column(0) {}
    explicit Column(std::size_t count, Value value = 0)
    {
        with_idle_.reserve(count + 1);
        with_idle_.push_back(0);
        with_idle_.resize(count + 1, value);
    }

    std::size_t size() const { return with_idle_.size() - 1; }
    bool empty() const { return size() == 0; }
    const Value *data() const { return with_idle_.data() + 1; }
    const Value *begin() const { return data(); }
    const Value *end() const { return data() + size(); }
    const Value &front() const { return with_idle_[1]; }
    const Value &back() const { return with_idle_.back(); }
    const Value &operator[](std::size_t k) const { return with_idle_[k + 1]; }
    Value &operator[](std::size_t k) { return with_idle_[k + 1]; }

    // size() + 1 values, the idle point's first.
    const Value *with_idle() const { return with_idle_.data(); }

    void push_back(Value value) { with_idle_.push_back(value); }
    void insert(std::size_t k, Value value)
    {
        with_idle_.insert(with_idle_.begin() + static_cast<std::ptrdiff_t>(k) + 1, value);
    }

    operator std::vector<Value>() const { return {begin(), end()}; }
    friend bool operator==(const Column &a, const Column &b) { return a.with_idle_ == b.with_idle_; }
    friend bool operator==(const Column &a, const std::vector<Value> &b)
    {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }

  private:
    std::vector<Value> with_idle_;
};

} // namespace hpart
