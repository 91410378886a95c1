#include "out_of_card/gemm/device_worker.hpp"
#include "core/text.hpp"
#include "host/cores.hpp"

#include <algorithm>

namespace hpart
{

GemmShape GemmSplit::part_of(GemmShape shape, std::int64_t part_length) const
{
    (by_rows ? shape.m : shape.n) = part_length;
    return shape;
}

GemmCall GemmSplit::part_of(const GemmCall &row_major, std::int64_t first, std::int64_t part_length) const
{
    auto part = row_major;
    const auto s = bytes_of(part.type);
    const auto step = [&](Transpose transpose, bool of_rows, std::int64_t ld) {
        return first * ((transpose == Transpose::none) == of_rows ? ld : 1) * s;
    };
    auto *const c = static_cast<char *>(part.c);
    if (by_rows) {
        part.m = part_length;
        part.a = static_cast<const char *>(part.a) + step(part.transpose_a, true, part.lda);
        part.c = c + first * part.ldc * s;
    } else {
        part.n = part_length;
        part.b = static_cast<const char *>(part.b) + step(part.transpose_b, false, part.ldb);
        part.c = c + first * s;
    }
    return part;
}

GemmSplit split_of(const GemmShape &shape, std::int64_t row_multiple, std::int64_t column_multiple)
{
    const bool by_rows = shape.m >= shape.n;
    const auto length = by_rows ? shape.m : shape.n, multiple = by_rows ? row_multiple : column_multiple;
    return {by_rows, length, std::min(length, round_up(ceil_div(length, most_units), multiple))};
}

DeviceWorker::DeviceWorker(DeviceSession &session, const GemmCall &row_major, const GemmSettings &settings,
                           std::size_t workers)
    : session_(session), settings_(settings), kernel_(in_card_gemm(session, row_major.type, settings.kernel)),
      in_place_(works_in_place(session, settings.zero_copy, *kernel_, row_major)),
      model_(naming_sufficient_memory(
          session, kernel_, shape_of(row_major), settings,
          [&] {
              // Before a device writes anything: all of C is no less than a part.
              if (!in_place_)
                  check_plan(shape_of(row_major), unmeasured_model(session, kernel_, 1), settings.plan, settings.tile);
              return model_of(session, kernel_, 1, settings.flow, is_staged(session, settings.flow, row_major));
          })),
      correction_(correction_of(session, text("gemm ", kernel_->id(), " of ", workers)))
{
    settings_.wants_in_card_rate = false; // the account has one for a device alone
    if (session.info().backend != Backend::host) return;
    // The others' threads want a core each.
    const auto cores = static_cast<int>(usable_cores().size());
    settings_.host_threads = std::max(1, cores - static_cast<int>(workers) + 1);
    core_share_ = static_cast<double>(settings_.host_threads) / cores;
}

std::vector<double> DeviceWorker::seconds(const GemmShape &shape, const GemmSplit &split) const
{
    return seconds_of_units(split.units(), [&](std::int64_t size) {
        const auto length = std::min(split.length, size * split.unit);
        return correction_->factor() * modelled_seconds(split.part_of(shape, length));
    });
}

double DeviceWorker::modelled_seconds(const GemmShape &shape) const
{
    if (in_place_) return kernel_seconds(shape, model_) / core_share_;
    // An operation has so many products that to look for each one's tiles would take longer than they do.
    if (settings_.is_part) return least_seconds(shape, model_);
    return estimate_for(session_, *kernel_, shape, model_, settings_);
}

} // namespace hpart
