#include "out_of_card/in_card/spans.hpp"

#include <algorithm>

namespace hpart
{

namespace
{

// So many of its rows are within the span; 1 at least, and full rates beyond 32.
std::int64_t rows_within(std::int64_t longest, std::int64_t rows, std::int64_t columns, std::int64_t ld)
{
    constexpr std::int64_t multiple = 32;
    if ((rows - 1) * ld + columns <= longest) return rows;
    const auto most = std::max<std::int64_t>(1, (longest - columns) / ld + 1);
    return most < multiple ? most : most / multiple * multiple;
}

} // namespace

std::vector<DeviceGemm> within_span(const DeviceGemm &what, std::int64_t longest)
{
    const bool a_plain = what.transpose_a == Transpose::none, b_plain = what.transpose_b == Transpose::none;
    const auto a_rows = rows_within(longest, a_plain ? what.m : what.k, a_plain ? what.k : what.m, what.a.ld);
    const auto b_rows = rows_within(longest, b_plain ? what.k : what.n, b_plain ? what.n : what.k, what.b.ld);
    auto m = rows_within(longest, what.m, what.n, what.c.ld), n = what.n, k = what.k;
    auto &along_a = a_plain ? m : k;
    along_a = std::min(along_a, a_rows);
    auto &along_b = b_plain ? k : n;
    along_b = std::min(along_b, b_rows);
    if (m == what.m && n == what.n && k == what.k) return {what};
    std::vector<DeviceGemm> parts;
    for (std::int64_t i = 0; i < what.m; i += m)
        for (std::int64_t j = 0; j < what.n; j += n)
            for (std::int64_t l = 0; l < what.k; l += k) {
                auto part = what;
                part.m = std::min(m, what.m - i), part.n = std::min(n, what.n - j), part.k = std::min(k, what.k - l);
                part.a.offset += a_plain ? i * what.a.ld + l : l * what.a.ld + i;
                part.b.offset += b_plain ? l * what.b.ld + j : j * what.b.ld + l;
                part.c.offset += i * what.c.ld + j;
                if (l > 0) part.beta = 1;
                part.part = GemmPart::whole;
                parts.push_back(part);
            }
    return parts;
}

} // namespace hpart
