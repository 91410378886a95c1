// Arguments of the BLAS and LAPACK as hpart takes them.
#pragma once

#include "hpart.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace hpart::drop_in
{

// LAPACK's characters as the constants of hpart.h; 0, which hpart refuses, for others.
constexpr char upper(const char *letter) { return static_cast<char>(*letter & ~0x20); }
constexpr std::int32_t trans_of(const char *letter)
{
    switch (upper(letter)) {
    case 'N': return HPART_NO_TRANSPOSE;
    case 'T': return HPART_TRANSPOSE;
    case 'C': return HPART_CONJUGATE_TRANSPOSE;
    default: return 0;
    }
}
// LAPACK's real functions refuse C.
constexpr std::int32_t real_trans_of(const char *letter) { return upper(letter) == 'C' ? 0 : trans_of(letter); }
constexpr std::int32_t either(const char *letter, char first, std::int32_t one, char second, std::int32_t other)
{
    return upper(letter) == first ? one : upper(letter) == second ? other : 0;
}
constexpr std::int32_t uplo_of(const char *letter) { return either(letter, 'U', HPART_UPPER, 'L', HPART_LOWER); }
constexpr std::int32_t side_of(const char *letter) { return either(letter, 'L', HPART_LEFT, 'R', HPART_RIGHT); }
constexpr std::int32_t diag_of(const char *letter) { return either(letter, 'N', HPART_NON_UNIT, 'U', HPART_UNIT); }

inline bool is_zero(char, double value) { return value == 0; }
inline bool is_zero(char type, const void *complex)
{
    if (type == 'z')
        return static_cast<const double *>(complex)[0] == 0 && static_cast<const double *>(complex)[1] == 0;
    return static_cast<const float *>(complex)[0] == 0 && static_cast<const float *>(complex)[1] == 0;
}

// Pivots of 64 bits for a call of hpart. The caller's follow when the call has written them.
template <typename Integer> class WidePivots
{
  public:
    WidePivots(const Integer *pivots, std::int64_t count) : wide_(pivots, pivots + count) {}
    WidePivots(Integer *pivots, std::int64_t count) : wide_(static_cast<std::size_t>(count)), narrow_(pivots) {}
    WidePivots(const WidePivots &) = delete;
    WidePivots &operator=(const WidePivots &) = delete;
    ~WidePivots()
    {
        if (narrow_ == nullptr || wide_.front() == 0) return;
        std::transform(wide_.begin(), wide_.end(), narrow_, [](auto pivot) { return static_cast<Integer>(pivot); });
    }
    operator std::int64_t *() { return wide_.data(); }

  private:
    std::vector<std::int64_t> wide_;
    Integer *narrow_ = nullptr;
};

} // namespace hpart::drop_in
