#include "out_of_card/gemm/card_worker.hpp"
#include "core/text.hpp"
#include "host/cores.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace hpart
{

namespace
{

constexpr std::int64_t most_units = 128;
// Shares of a whole at which a card's time is modelled.
constexpr double modelled_shares[] = {0, 0.125, 0.25, 0.5, 0.75, 1};
constexpr std::int64_t usual_depth = 256;
// Shorter parts tell more of the clock than of the card.
constexpr double shortest_to_learn_from = 2e-3;
constexpr double largest_correction = 100;

} // namespace

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

CardWorker::CardWorker(Card &card, const GemmCall &row_major, const GemmSettings &settings, std::size_t workers)
    : card_(card), settings_(settings), kernel_(in_card_gemm(card, row_major.type, settings.kernel)),
      in_place_(works_in_place(card, settings.zero_copy)), model_(model_of(card, kernel_, 1, settings.flow)),
      correction_(card.kept<Correction>(text("gemm correction ", static_cast<int>(row_major.type), " of ", workers),
                                        [] { return std::make_shared<Correction>(); }))
{
    if (card.info().backend != Backend::host) return;
    // The others' threads want a core each.
    const auto cores = static_cast<int>(usable_cores().size());
    settings_.host_threads = std::max(1, cores - static_cast<int>(workers) + 1);
    core_share_ = static_cast<double>(settings_.host_threads) / cores;
}

std::vector<double> CardWorker::seconds(const GemmShape &shape, const GemmSplit &split) const
{
    const auto units = split.units();
    std::set<std::int64_t> sizes;
    for (const auto share : modelled_shares)
        sizes.insert(std::max<std::int64_t>(1, std::llround(share * static_cast<double>(units))));
    std::vector<double> result;
    double last = 0;
    for (const auto size : sizes) {
        const auto length = std::min(split.length, size * split.unit);
        const auto here = correction_->factor * modelled_seconds(split.part_of(shape, length));
        const auto before = static_cast<std::int64_t>(result.size());
        for (auto x = before + 1; x <= size; ++x)
            result.push_back(last +
                             (here - last) * static_cast<double>(x - before) / static_cast<double>(size - before));
        last = here;
    }
    return result;
}

void CardWorker::learn(double modelled_seconds, double seconds)
{
    if (std::min(modelled_seconds, seconds) < shortest_to_learn_from) return;
    // Half of the way, in proportion: one call beside a stranger's load is not believed whole.
    const auto factor = correction_->factor * std::sqrt(seconds / modelled_seconds);
    correction_->factor = std::clamp(factor, 1 / largest_correction, largest_correction);
}

double CardWorker::modelled_seconds(const GemmShape &shape) const
{
    if (!in_place_) return estimated_least_seconds(shape, model_);
    const auto depth = std::min(shape.k, usual_depth);
    return model_.kernel_seconds(shape.m, shape.n, depth) * static_cast<double>(shape.k) / static_cast<double>(depth) /
           core_share_;
}

} // namespace hpart
