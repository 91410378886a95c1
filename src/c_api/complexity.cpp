#include "c_api/complexity.hpp"

#include "core/error.hpp"

#include <cmath>

namespace hpart::c_api
{

double operations_of(std::int64_t size, hpart_complexity complexity, void *user)
{
    auto operations = static_cast<double>(size);
    if (complexity == nullptr) return operations;
    int stop = 0;
    try {
        stop = complexity(size, &operations, user);
    } catch (...) {
        fail(Status::callback, "the complexity callback threw an exception for size ", size);
    }
    if (stop != 0) fail(Status::callback, "the complexity callback returned ", stop, " for size ", size);
    if (!std::isfinite(operations) || operations < 0)
        fail_argument("the complexity of size ", size, " is ", operations, "; it must be finite and not negative");
    return operations;
}

} // namespace hpart::c_api
