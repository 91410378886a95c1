// A file descriptor that closes itself.
#pragma once

#include <utility>

#include <unistd.h>

namespace hpart
{

class Descriptor
{
  public:
    explicit Descriptor(int number = -1) : number_(number) {}
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    Descriptor(Descriptor &&other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor &operator=(Descriptor &&other) noexcept
    {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Descriptor() { close(); }

    int get() const { return number_; }
    // Returns the system's result: closing can be the first to report a full disk.
    int close()
    {
        const int number = std::exchange(number_, -1);
        return number >= 0 ? ::close(number) : 0;
    }

  private:
    int number_;
};

} // namespace hpart
