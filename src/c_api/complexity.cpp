#include "c_api/complexity.hpp"

#include "c_api/callback.hpp"

#include <cmath>

namespace hpart::c_api
{

double operations_of(std::int64_t size, hpart_complexity complexity, void *user)
{
    auto operations = static_cast<double>(size);
    if (complexity == nullptr) return operations;
    const int stop = Callback()("the complexity callback", [&] { return complexity(size, &operations, user); });
    if (stop != 0) fail(Status::callback, "the complexity callback returned ", stop, " for size ", size);
    if (!std::isfinite(operations) || operations < 0)
        fail_argument("the complexity of size ", size, " is ", operations, "; it must be finite and not negative");
    return operations;
}

} // namespace hpart::c_api
