#include "partitioners/partition.hpp"

#include "core/error.hpp"

namespace hpart
{
Distribution partition(const Platform &, const PartitionRequest &, Control &) { fail(Status::unsupported, "soon"); }
Front compute_front(const Platform &, std::int64_t, FrontEnergy, const std::string &, Control &)
{
    fail(Status::unsupported, "soon");
}
Schedule compute_schedule(const Platform &, std::int64_t, const std::string &, Ties, Control &)
{
    fail(Status::unsupported, "soon");
}
} // namespace hpart
