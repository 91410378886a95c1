// An ordered list of keys and values that a call returns beside its result. A value may be a list of rows, each a report.
#pragma once

#include "core/variant.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hpart
{

class Report
{
  public:
    using Rows = std::vector<Report>;
    using Value = Variant<std::int64_t, double, std::string, std::vector<double>, Rows>;

    // Adds the key, or replaces its value.
    void set(std::string_view key, Value value);
    void erase(std::string_view key);

    std::int64_t count() const { return static_cast<std::int64_t>(entries_.size()); }
    const std::string &key(std::int64_t k) const { return entries_.at(static_cast<std::size_t>(k)).first; }
    // Null when there is none of that name.
    const Value *find(std::string_view key) const;
    // Fails, naming the keys there are, when there is none of that name.
    const Value &get(std::string_view key) const;

    static std::string format(const Value &value);
    // One object in the order of the keys; numbers that are not finite are null.
    std::string json() const;
    bool operator==(const Report &) const = default;

  private:
    std::vector<std::pair<std::string, Value>> entries_;
};

} // namespace hpart
