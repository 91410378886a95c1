#include "out_of_card/pipeline/intervals.hpp"

#include <algorithm>

namespace hpart
{

void IntervalUnion::add(const Interval &interval)
{
    if (!(interval.end > interval.start)) return;
    // From the back, since that is where nearly all of them belong.
    auto first = parts_.end();
    while (first != parts_.begin() && std::prev(first)->end >= interval.start) --first;
    auto merged = interval;
    auto last = first;
    for (; last != parts_.end() && last->start <= interval.end; ++last)
        merged = {std::min(merged.start, last->start), std::max(merged.end, last->end)};
    if (first == last)
        parts_.insert(first, merged);
    else {
        *first = merged;
        parts_.erase(first + 1, last);
    }
}

double IntervalUnion::seconds() const
{
    double sum = 0;
    for (const auto &[start, end] : parts_) sum += end - start;
    return sum;
}

IntervalUnion united(const IntervalUnion &a, const IntervalUnion &b)
{
    std::vector<Interval> all;
    all.reserve(a.parts().size() + b.parts().size());
    std::merge(a.parts().begin(), a.parts().end(), b.parts().begin(), b.parts().end(), std::back_inserter(all),
               [](const Interval &x, const Interval &y) { return x.start < y.start; });
    IntervalUnion result;
    for (const auto &interval : all) result.add(interval);
    return result;
}

double common_seconds(const IntervalUnion &a, const IntervalUnion &b)
{
    double sum = 0;
    auto x = a.parts().begin(), y = b.parts().begin();
    while (x != a.parts().end() && y != b.parts().end()) {
        sum += std::max(0.0, std::min(x->end, y->end) - std::max(x->start, y->start));
        if (x->end < y->end)
            ++x;
        else
            ++y;
    }
    return sum;
}

} // namespace hpart
