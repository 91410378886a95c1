// The problem of all languages, in C++: rank r has one processor, of one of two kinds. Times by hand: 8 units take rank 0 alone 5 s; more
// ranks take 2.5 s with 4 units for each even one and 8 for each odd one.
#include "check.h"

#include <hpart/mpi.hpp>

struct problem {
    int rank = 0, ranks = 1;
    int64_t size = 0, part = 0;
    double least = 0, joules = 0;
    hpart::platform mine{1};
    std::vector<int64_t> sizes{2, 4, 8, 10};
    std::vector<double> times;

    problem()
    {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
        times = rank % 2 == 0 ? std::vector<double>{1, 2, 5, 7} : std::vector<double>{2, 2.1, 2.5, 6};
        part = ranks == 1 || rank % 2 == 1 ? 8 : 4;
        least = ranks == 1 ? 5 : 2.5;
        for (int r = 0; r < ranks; ++r) {
            size += ranks == 1 || r % 2 == 1 ? 8 : 4;
            joules += ranks == 1 ? 8 : r % 2 == 1 ? 16 : 4;
        }
        const double each = rank % 2 == 0 ? 1 : 2;
        mine.set_time_function(0, sizes, times);
        mine.set_energy_function(0, sizes, std::vector<double>{2 * each, 4 * each, 8 * each, 10 * each});
    }
};

static void find(const problem &given)
{
    const auto best = hpart::mpi::partition(MPI_COMM_WORLD, given.mine, hpart::objective::time, given.size);
    CHECK(best.x == std::vector<int64_t>{given.part} && best.seconds == given.least && best.joules == given.joules);
    const auto front = hpart::mpi::compute_front(MPI_COMM_WORLD, given.mine, given.size);
    CHECK(front.point(0).seconds == given.least && front.point(0).joules == given.joules);
    CHECK(front.point(0).x == std::vector<int64_t>{given.part});
    const auto moved = hpart::mpi::redistribution(MPI_COMM_WORLD, hpart::mpi::row_order::in_order,
                                                  given.rank == 0 ? given.size : 0, given.part);
    CHECK(moved.receive_counts[0] == given.part);
    CHECK(moved.send_displacements.back() + moved.send_counts.back() == (given.rank == 0 ? given.size : 0));
    try {
        hpart::mpi::partition(MPI_COMM_WORLD, given.mine, hpart::objective::time, 3);
        CHECK(false);
    } catch (const hpart::infeasible &) {
    }
}

static void measure(const problem &given)
{
    hpart::team team;
    team.add("P", [](int64_t) {});
    const hpart::options quick{{"min_repetitions", 3}, {"max_repetitions", 3}, {"alike", "node"}};
    auto all = hpart::mpi::profile(MPI_COMM_WORLD, &team, {2, 4}, quick);
    CHECK(bool(all) == (given.rank == 0));
    hpart::mpi::measure_links(MPI_COMM_WORLD, all);
    if (given.rank == 0) CHECK(all.processors() == given.ranks && all.function(given.ranks - 1).sizes.size() == 2);
    if (given.rank == 0 && given.ranks > 1) CHECK(all.link(0, 1).latency_seconds > 0);

    constexpr double digits = 1 + 1e-9; // of a clock: rounded times would certify nothing
    hpart::team application;
    application.set_application_function("P", [&](int64_t, const int64_t *x, double *seconds) {
        for (std::size_t k = 0; k < 4; ++k)
            if (given.sizes[k] == x[0]) seconds[0] = given.times[k] * digits;
    });
    const auto best =
        hpart::mpi::optimize(MPI_COMM_WORLD, &application, given.size, given.sizes, {{"sizes", "all"}, {"confirm", 0}});
    CHECK(best.x == std::vector<int64_t>{given.part} && best.seconds == given.least * digits);
    CHECK(best.report.get<bool>("certified") && bool(best.measured) == (given.rank == 0));

    // A kernel's exception is that of its rank; the others get the status.
    struct broken {
    };
    hpart::team failing;
    failing.add("P", [&](int64_t) {
        if (given.rank == given.ranks - 1) throw broken();
    });
    try {
        hpart::mpi::optimize(MPI_COMM_WORLD, &failing, given.size, given.sizes);
        CHECK(false);
    } catch (const broken &) {
        CHECK(given.rank == given.ranks - 1);
    } catch (const hpart::error &error) {
        CHECK(given.rank < given.ranks - 1 && error.status() == HPART_ERR_CALLBACK);
    }
}

int main(int argc, char **argv)
{
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    {
        const problem given;
        find(given);
        measure(given);
    }
    MPI_Finalize();
    return check_result();
}
