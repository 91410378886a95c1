// One quantity of a function, point by point. The idle point's value, 0, stands before the first: partitioners use the array as it is.
// Copies share the array until one of them is edited.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace hpart
{

template <typename Value> class Column
{
  public:
    using value_type = Value;
    using const_iterator = const Value *;
    using Array = std::vector<Value>; // with the idle point's value

    Column() : Column(Array{0}) {}
    explicit Column(Array with_idle) : array_(std::make_shared<Array>(std::move(with_idle))) {}

    std::size_t size() const { return array_->size() - 1; }
    bool empty() const { return size() == 0; }
    const Value *data() const { return array_->data() + 1; }
    const Value *begin() const { return data(); }
    const Value *end() const { return data() + size(); }
    const Value &front() const { return (*array_)[1]; }
    const Value &back() const { return array_->back(); }
    const Value &operator[](std::size_t k) const { return (*array_)[k + 1]; }
    operator Array() const { return {begin(), end()}; }

    const std::shared_ptr<Array> &with_idle() const { return array_; }
    void share(std::shared_ptr<Array> equal) { array_ = std::move(equal); }
    Array &edit()
    {
        if (array_.use_count() > 1) array_ = std::make_shared<Array>(*array_);
        return *array_;
    }

    friend bool operator==(const Column &a, const Column &b) { return a.array_ == b.array_ || *a.array_ == *b.array_; }
    friend bool operator==(const Column &a, const Array &b)
    {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }

  private:
    std::shared_ptr<Array> array_;
};

} // namespace hpart
