#include "out_of_card/gemm/host_gemm.hpp"

#include <algorithm>
#include <complex>

namespace hpart
{

namespace
{

template <typename Value> void scale(Value beta, void *data, std::int64_t rows, std::int64_t columns, std::int64_t ld)
{
    if (columns == 0 || beta == Value(1)) return; // an empty matrix may have no memory
    for (std::int64_t i = 0; i < rows; ++i) {
        auto *const row = static_cast<Value *>(data) + i * ld;
        if (beta == Value(0))
            std::fill_n(row, columns, Value(0));
        else
            for (std::int64_t j = 0; j < columns; ++j) row[j] *= beta;
    }
}

} // namespace

void scale_on_host(Scalar type, Coefficient beta, void *data, std::int64_t rows, std::int64_t columns, std::int64_t ld)
{
    switch (type) {
    case Scalar::s: return scale(static_cast<float>(beta.real()), data, rows, columns, ld);
    case Scalar::d: return scale(beta.real(), data, rows, columns, ld);
    case Scalar::c: return scale(std::complex<float>(beta), data, rows, columns, ld);
    case Scalar::z: return scale(beta, data, rows, columns, ld);
    }
}

} // namespace hpart
