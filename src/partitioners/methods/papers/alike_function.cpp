#include "partitioners/methods/papers/alike_function.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <numeric>

namespace hpart
{

const AlikePoint *AlikeFunction::find(std::int64_t size) const
{
    const auto found =
        std::lower_bound(points.begin(), points.end(), size,
                         [](const AlikePoint &point, std::int64_t wanted) { return point.size < wanted; });
    return found != points.end() && found->size == size ? &*found : nullptr;
}

AlikeFunction alike_function_of(const Instance &instance, std::string_view method, std::string_view instead)
{
    for (std::size_t i = 1; i < instance.processors(); ++i)
        if (instance.function_of[i] != 0)
            fail_argument("method is ", method,
                          ", which is for identical processors, but the usable points of processor[", i,
                          "] are not those of processor[0]; use ", instead);
    AlikeFunction function;
    function.copies = static_cast<std::int64_t>(instance.processors());
    std::int64_t divisor = 0;
    for (const auto size : instance.sizes) divisor = std::gcd(divisor, size);
    function.unit = std::max<std::int64_t>(divisor, 1);
    for (std::size_t k = 0; k < instance.sizes.size(); ++k) {
        const auto joules = instance.has_energies() ? instance.joules[k] : 0.0;
        if (instance.sizes[k] == 0)
            function.may_idle = true;
        else
            function.points.push_back({instance.sizes[k] / function.unit, instance.seconds[k], joules});
    }
    return function;
}

} // namespace hpart
