// The tiling of a matrix into rectangles.
#include "c_api/handles.hpp"
#include "partitioners/matrix/column_based.hpp"

using namespace hpart;
using namespace hpart::c_api;

namespace
{

Report tiling_report(const MatrixPartition &partition)
{
    Report report;
    report.set("columns", static_cast<std::int64_t>(partition.arrangement.columns.size()));
    report.set("half_perimeters", partition.half_perimeters);
    report.set("exact_half_perimeters", partition.arrangement.half_perimeters);
    report.set("lower_bound", partition.lower_bound);
    report.set("ratio", partition.half_perimeters / partition.lower_bound);
    report.set("largest_area_error", partition.largest_area_error);
    return report;
}

} // namespace

extern "C" {

hpart_status hpart_matrix_partition(int64_t processors, const double *areas, int64_t rows, int64_t columns,
                                    int64_t *first_rows, int64_t *first_columns, int64_t *heights, int64_t *widths,
                                    hpart_report **report)
{
    return guarded([&] {
        const auto all_areas = array(areas, processors, "areas");
        require(first_rows, "first_rows");
        require(first_columns, "first_columns");
        require(heights, "heights");
        require(widths, "widths");
        const auto found = partition_matrix(all_areas, rows, columns);
        auto *const made =
            report == nullptr ? nullptr : new hpart_report{tiling_report(found)}; // after this nothing throws
        for (std::size_t i = 0; i < found.rectangles.size(); ++i) {
            const auto &rectangle = found.rectangles[i];
            first_rows[i] = rectangle.first_row;
            first_columns[i] = rectangle.first_column;
            heights[i] = rectangle.height;
            widths[i] = rectangle.width;
        }
        if (report != nullptr) *report = made;
    });
}

} // extern "C"
