// hpart_mpi_front_compute: rank 0 computes the front of all ranks, each rank gets it with its own part of the distributions.
#include "c_api/handles.hpp"
#include "mpi/problem.hpp"

using namespace hpart;
using namespace hpart::mpi;

namespace
{

FrontHandle compute(const WholeProblem &problem, std::int64_t size, std::int32_t energy)
{
    hpart_front *front = nullptr;
    check_status(hpart_front_compute(problem.platform.handle.get(), size, energy, problem.options, &front));
    return FrontHandle(front);
}

} // namespace

extern "C" {

hpart_status hpart_mpi_front_compute(MPI_Comm comm, const hpart_platform *mine, int64_t size, int32_t energy,
                                     const hpart_options *options, hpart_front **front)
{
    return c_api::guarded([&] {
        const Communicator all(comm);
        const auto problem = gather_problem(all, mine, size, options, [&] { c_api::require(front, "front"); });
        all.require_equal("energy", energy);
        std::vector<Bytes> pieces;
        all.on_root([&] {
            const auto found = compute(problem, size, energy);
            const auto &first_of = problem.platform.first_of;
            for (std::size_t r = 0; r + 1 < first_of.size(); ++r)
                put_front(pieces.emplace_back(), found.get(), first_of[r], first_of[r + 1]);
        });
        const auto piece = all.scatter(pieces);
        FrontHandle found;
        all.together([&] {
            Reader in(piece);
            found = get_front(in);
        });
        *front = found.release();
    });
}

} // extern "C"
