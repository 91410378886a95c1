#include "mpi/problem.hpp"

namespace hpart::mpi
{

namespace
{

// The previous distribution of all processors on rank 0; empty if no rank has set one.
std::vector<std::int64_t> gather_previous(const Communicator &all, std::size_t processors, const hpart_options *options)
{
    std::vector<std::int64_t> previous;
    all.together([&] {
        previous = previous_of(options);
        if (!previous.empty() && previous.size() != processors)
            fail_argument("the previous distribution has ", previous.size(), " entries; this rank has ", processors,
                          " processors");
    });
    if (!all.any(!previous.empty())) return previous;
    Bytes packed;
    all.together([&] {
        if (previous.size() != processors)
            fail_argument(
                "the options have no previous distribution; set it on every rank with processors, or on none");
        put(packed, previous);
    });
    const auto pieces = all.gather(packed);
    all.on_root([&] {
        previous.clear();
        for (const auto &piece : pieces) {
            const auto part = Reader(piece).get_vector<std::int64_t>();
            previous.insert(previous.end(), part.begin(), part.end());
        }
    });
    return previous;
}

} // namespace

WholeProblem gather_checked(const Communicator &all, const PlatformPart &part, const hpart_options *options)
{
    WholeProblem problem;
    problem.platform = gather_platform(all, part);
    problem.options = options;
    const auto previous = gather_previous(all, part.processors.size(), options);
    all.on_root([&] {
        if (previous.empty()) return;
        problem.own_options = copy_of(options);
        problem.options = problem.own_options.get();
        check_status(hpart_options_set_previous(problem.own_options.get(), static_cast<std::int64_t>(previous.size()),
                                                previous.data()));
    });
    return problem;
}

} // namespace hpart::mpi
