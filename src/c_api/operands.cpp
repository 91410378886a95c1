#include "c_api/operands.hpp"

#include "c_api/handles.hpp"
#include "core/numbers.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <limits>

namespace hpart::c_api
{

namespace
{

[[noreturn]] void fail_too_large(const std::string &name)
{
    fail_argument(name, " takes more than 9223372036854775807 bytes; no array is that large");
}

std::int64_t bytes_of_elements(const std::string &name, std::int64_t count, std::int64_t element_bytes)
{
    const auto bytes = checked_mul(count, element_bytes);
    if (!bytes) fail_too_large(name);
    return *bytes;
}

// From the first byte to the last one.
std::int64_t extent(const Footprint &memory)
{
    if (memory.lines == 0 || memory.line_bytes == 0) return 0;
    const auto before_last = checked_mul(memory.lines - 1, memory.pitch_bytes);
    const auto bytes = before_last ? checked_add(*before_last, memory.line_bytes) : std::nullopt;
    if (!bytes) fail_too_large(memory.name);
    return *bytes;
}

// Returns the footprint with its address; empty if the array is not accessed.
Footprint placed(Footprint memory, const void *data, bool used, const std::string &what)
{
    if (extent(memory) == 0 || !used) return {};
    if (data == nullptr) fail_argument(memory.name, " is NULL; it must be ", what);
    memory.begin = reinterpret_cast<std::uintptr_t>(data);
    return memory;
}

std::uintptr_t end_of(const Footprint &memory) { return memory.begin + static_cast<std::uintptr_t>(extent(memory)); }

bool share_an_element(const Footprint &a, const Footprint &b)
{
    if (a.lines == 0 || a.line_bytes == 0 || b.lines == 0 || b.line_bytes == 0) return false;
    if (end_of(a) <= b.begin || end_of(b) <= a.begin) return false;
    // Parts of one array may lie between each other's lines: both are walked through in the order of addresses.
    const auto line = [](const Footprint &memory, std::int64_t k) {
        return memory.begin + static_cast<std::uintptr_t>(k * memory.pitch_bytes);
    };
    for (std::int64_t i = 0, j = 0; i < a.lines && j < b.lines;) {
        const auto a_end = line(a, i) + static_cast<std::uintptr_t>(a.line_bytes);
        const auto b_end = line(b, j) + static_cast<std::uintptr_t>(b.line_bytes);
        if (line(a, i) < b_end && line(b, j) < a_end) return true;
        if (a_end <= b_end)
            ++i;
        else
            ++j;
    }
    return false;
}

} // namespace

bool row_major_of(std::int32_t layout)
{
    if (layout == HPART_ROW_MAJOR) return true;
    if (layout == HPART_COLUMN_MAJOR) return false;
    fail_argument("layout is ", layout, "; it must be 101 (row-major) or 102 (column-major)");
}

Transpose transpose_of(std::int32_t trans, const char *name)
{
    switch (trans) {
    case HPART_NO_TRANSPOSE: return Transpose::none;
    case HPART_TRANSPOSE: return Transpose::transpose;
    case HPART_CONJUGATE_TRANSPOSE: return Transpose::conjugate;
    default:
        fail_argument(name, " is ", trans,
                      "; it must be 111 (no transpose), 112 (transpose) or 113 (conjugate transpose)");
    }
}

Transpose transpose_of(std::int32_t trans, const char *name, Scalar type, Transpose only)
{
    const auto transpose = transpose_of(trans, name);
    if (!is_complex(type) || transpose == Transpose::none || transpose == only) return transpose;
    fail_argument(name, " is ", trans, "; for complex matrices it must be 111 (no transpose) or ",
                  only == Transpose::transpose ? "112 (transpose)" : "113 (conjugate transpose)");
}

Triangle triangle_of(std::int32_t uplo)
{
    if (uplo == HPART_UPPER) return Triangle::upper;
    if (uplo == HPART_LOWER) return Triangle::lower;
    fail_argument("uplo is ", uplo, "; it must be 121 (upper) or 122 (lower)");
}

Side side_of(std::int32_t side)
{
    if (side == HPART_LEFT) return Side::left;
    if (side == HPART_RIGHT) return Side::right;
    fail_argument("side is ", side, "; it must be 141 (left) or 142 (right)");
}

bool unit_diagonal_of(std::int32_t diag)
{
    if (diag == HPART_UNIT) return true;
    if (diag == HPART_NON_UNIT) return false;
    fail_argument("diag is ", diag, "; it must be 131 (non-unit) or 132 (unit)");
}

void check_size(std::int64_t size, const char *name)
{
    if (size < 0) fail_argument(name, " is ", size, "; it must not be negative");
}

void check_sizes(std::initializer_list<std::pair<const char *, std::int64_t>> sizes)
{
    for (const auto &[name, size] : sizes) check_size(size, name);
}

Coefficient CoefficientArgument::get(const char *name) const
{
    if (!is_pointer_) return value_;
    require(pointer_, name);
    if (is_double(type_)) return *static_cast<const std::complex<double> *>(pointer_);
    return *static_cast<const std::complex<float> *>(pointer_);
}

Footprint checked(const MatrixArgument &matrix, bool used)
{
    const std::string name(1, matrix.name);
    const auto what = text("the ", matrix.rows, " x ", matrix.columns, " matrix ",
                           static_cast<char>(std::toupper(static_cast<unsigned char>(matrix.name))));
    const auto lines = matrix.row_major ? matrix.rows : matrix.columns;
    const auto length = matrix.row_major ? matrix.columns : matrix.rows;
    if (matrix.ld < std::max<std::int64_t>(length, 1))
        fail_argument("ld", name, " is ", matrix.ld, "; it must be at least ", std::max<std::int64_t>(length, 1),
                      " for ", what, matrix.row_major ? " (row-major)" : " (column-major)");
    Footprint memory{name, 0, lines, bytes_of_elements(name, length, bytes_of(matrix.type)), 0};
    memory.pitch_bytes = lines > 1 ? bytes_of_elements(name, matrix.ld, bytes_of(matrix.type)) : memory.line_bytes;
    return placed(std::move(memory), matrix.data, used, what);
}

Footprint checked(const VectorArgument &vector, bool used)
{
    const std::string name(1, vector.name);
    if (vector.increment == 0) fail_argument("inc", name, " is 0; it must not be");
    if (vector.increment == std::numeric_limits<std::int64_t>::min())
        fail_argument("inc", name, " is ", vector.increment, "; it must be larger");
    const auto bytes = bytes_of(vector.type);
    Footprint memory{name, 0, vector.count, bytes, bytes};
    if (vector.count > 1) memory.pitch_bytes = bytes_of_elements(name, std::abs(vector.increment), bytes);
    return placed(std::move(memory), vector.data, used, text("a vector of ", pluralise(vector.count, "element")));
}

Footprint checked_array(const char *name, std::int64_t count, std::int64_t element_bytes, const void *data, bool used)
{
    const Footprint memory{name, 0, 1, bytes_of_elements(name, count, element_bytes), 0};
    return placed(memory, data, used, text("an array of ", pluralise(count, "element")));
}

void check_apart(const Footprint &written, const Footprint &other)
{
    if (share_an_element(written, other))
        fail_argument(written.name, " overlaps ", other.name,
                      "; what is written must share no element with what is read");
}

} // namespace hpart::c_api
