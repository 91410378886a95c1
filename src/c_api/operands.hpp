// The arguments that the BLAS, LAPACK and FFT names share: the constants of CBLAS, sizes, matrices, vectors, alpha and beta.
#pragma once

#include "core/options.hpp"
#include "out_of_card/factorisations/factorisations.hpp"
#include "out_of_card/scalar.hpp"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>

namespace hpart::c_api
{

bool row_major_of(std::int32_t layout);
Transpose transpose_of(std::int32_t trans, const char *name);
// For complex types of which only one kind of transpose has a meaning.
Transpose transpose_of(std::int32_t trans, const char *name, Scalar type, Transpose only);
Triangle triangle_of(std::int32_t uplo);
Side side_of(std::int32_t side);
bool unit_diagonal_of(std::int32_t diag);
void check_size(std::int64_t size, const char *name);
void check_sizes(std::initializer_list<std::pair<const char *, std::int64_t>> sizes);

// alpha or beta as an entry takes it: by value for real types, by pointer for complex ones.
class CoefficientArgument
{
  public:
    CoefficientArgument(Scalar type, double value) : value_(value), type_(type) {}
    CoefficientArgument(Scalar type, const void *pointer) : type_(type), pointer_(pointer), is_pointer_(true) {}
    Coefficient get(const char *name) const;

  private:
    Coefficient value_ = 0;
    Scalar type_ = Scalar::d;
    const void *pointer_ = nullptr;
    bool is_pointer_ = false;
};

// Defines an operation for each type: its letter, as of Scalar, the type of its arrays, and the type of alpha and beta.
#define HPART_REAL_TYPES(DEFINE) DEFINE(s, float, float) DEFINE(d, double, double)
#define HPART_COMPLEX_TYPES(DEFINE) DEFINE(c, void, const void *) DEFINE(z, void, const void *)
#define HPART_ALL_TYPES(DEFINE) HPART_REAL_TYPES(DEFINE) HPART_COMPLEX_TYPES(DEFINE)

// True if the operation plans and predicts alone: it does not look at its arrays.
inline bool is_dry(const Options &settings) { return settings.get_int("dry_run") == 1; }

// Memory of an operand: lines of so many bytes, at equal distances.
struct Footprint {
    std::string name;
    std::uintptr_t begin = 0;
    std::int64_t lines = 0;
    std::int64_t line_bytes = 0;
    std::int64_t pitch_bytes = 0;
};

// A matrix argument; `name` is its letter: "a" is read as the argument a, lda and the matrix A.
struct MatrixArgument {
    char name;
    Scalar type;
    bool row_major;
    std::int64_t rows, columns;
    const void *data;
    std::int64_t ld;
};
// `used` is false where the operation does not look at it, so that it may be NULL.
Footprint checked(const MatrixArgument &matrix, bool used = true);
struct VectorArgument {
    char name; // its increment is incx or incy
    Scalar type;
    std::int64_t count;
    const void *data;
    std::int64_t increment;
};
Footprint checked(const VectorArgument &vector, bool used = true);
// Elements one after another.
Footprint checked_array(const char *name, std::int64_t count, std::int64_t element_bytes, const void *data,
                        bool used = true);

// Fails when they share an element; `written` is what the operation writes.
void check_apart(const Footprint &written, const Footprint &other);

} // namespace hpart::c_api
