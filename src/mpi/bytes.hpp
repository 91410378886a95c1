// Values in a row of bytes, for messages between processes of one program.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace hpart::mpi
{

using Bytes = std::vector<char>;

template <typename Value> void put(Bytes &out, const Value &value)
{
    static_assert(std::is_arithmetic_v<Value> || (std::is_class_v<Value> && std::is_trivially_copyable_v<Value>));
    const auto *begin = reinterpret_cast<const char *>(&value);
    out.insert(out.end(), begin, begin + sizeof value);
}

template <typename Value> void put(Bytes &out, const std::vector<Value> &values)
{
    static_assert(std::is_arithmetic_v<Value>);
    put(out, static_cast<std::int64_t>(values.size()));
    const auto *begin = reinterpret_cast<const char *>(values.data());
    out.insert(out.end(), begin, begin + values.size() * sizeof(Value));
}

inline void put(Bytes &out, const std::string &words)
{
    put(out, static_cast<std::int64_t>(words.size()));
    out.insert(out.end(), words.begin(), words.end());
}

// Reads in the order of writing.
class Reader
{
  public:
    explicit Reader(const Bytes &bytes) : next_(bytes.data()) {}

    template <typename Value> Value get()
    {
        Value value{};
        read(&value, sizeof value);
        return value;
    }

    template <typename Value> std::vector<Value> get_vector()
    {
        std::vector<Value> values(static_cast<std::size_t>(get<std::int64_t>()));
        read(values.data(), values.size() * sizeof(Value));
        return values;
    }

    std::string get_text()
    {
        std::string words(static_cast<std::size_t>(get<std::int64_t>()), '\0');
        read(words.data(), words.size());
        return words;
    }

  private:
    void read(void *target, std::size_t count)
    {
        if (count > 0) std::memcpy(target, next_, count);
        next_ += count;
    }

    const char *next_;
};

} // namespace hpart::mpi
