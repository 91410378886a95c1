#include "out_of_card/fft/matrix.hpp"

namespace hpart
{

std::vector<DeviceFftShape> row_shapes(const FftType &sort, const std::vector<RowStep> &steps, std::int64_t rows)
{
    std::vector<DeviceFftShape> shapes;
    for (const auto &step : steps) {
        DeviceFftShape shape;
        shape.is_double = sort.is_double;
        shape.sign = sort.sign;
        shape.kind = step.kind;
        shape.outer = rows * step.outer;
        shape.length = step.length;
        shape.inner = shape.pitch = step.inner;
        shapes.push_back(shape);
    }
    return shapes;
}

} // namespace hpart
