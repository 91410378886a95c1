// A std::variant whose copies survive a failing allocation.
#pragma once

#include <utility>
#include <variant>

namespace hpart
{

// GCC 12's std::variant of texts and vectors takes itself for never empty. When the copy of an alternative throws, it destroys an
// object that does not exist. Here the alternative is copied first and then moved in.
template <typename... Types> class Variant : public std::variant<Types...>
{
    using Base = std::variant<Types...>;

  public:
    using Base::Base;
    Variant() = default;
    Variant(const Variant &other) : Base(copy_of(other)) {}
    Variant(Variant &&other) noexcept = default;
    Variant &operator=(const Variant &other)
    {
        Base::operator=(copy_of(other));
        return *this;
    }
    Variant &operator=(Variant &&other) noexcept = default;
    ~Variant() = default;

  private:
    static Base copy_of(const Base &other)
    {
        return std::visit(
            [](const auto &held) {
                auto copy = held;
                return Base(std::move(copy));
            },
            other);
    }
};

} // namespace hpart
