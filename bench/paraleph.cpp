// PARALEPH over ranks, at sizes of its paper's tables (m = 1024): the time of a call, and the longest computation and communication of a
// rank. docs/background/papers.md has the table. The first call is not counted; the others' least time is.
// usage: mpirun -n Q bench_paraleph THREADS CALLS P N/P [P N/P]...
#include "profiles.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include <hpart_mpi.h>

namespace
{

struct Seconds {
    double call = 1e300, computing = 0, communicating = 0;
};

double largest(const hpart_report *report, const char *key)
{
    std::array<double, 1024> seconds{};
    std::int64_t count = 0;
    bench::check(hpart_report_get_doubles(report, key, seconds.data(), seconds.size(), &count));
    return *std::max_element(seconds.begin(), seconds.begin() + count);
}

// All processors are rank 0's, as the paper has its input.
Seconds run(const hpart_platform *platform, std::int32_t objective, std::int64_t size, const hpart_options *options,
            std::int64_t calls)
{
    std::vector<std::int64_t> x(platform == nullptr ? 0
                                                    : static_cast<std::size_t>(hpart_platform_processors(platform)));
    Seconds best;
    for (std::int64_t k = 0; k <= calls; ++k) {
        hpart_report *report = nullptr;
        MPI_Barrier(MPI_COMM_WORLD);
        const auto start = MPI_Wtime();
        bench::check(hpart_mpi_partition(MPI_COMM_WORLD, platform, objective, size, options, x.data(), nullptr, nullptr,
                                         &report));
        const auto seconds = MPI_Wtime() - start;
        if (k > 0 || calls == 0)
            if (seconds < best.call)
                best = {seconds, largest(report, "solve_compute_seconds"),
                        largest(report, "solve_communication_seconds")};
        hpart_report_destroy(report);
    }
    return best;
}

} // namespace

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 5) {
        if (rank == 0) std::fprintf(stderr, "usage: bench_paraleph THREADS CALLS P N/P [P N/P]...\n");
        MPI_Finalize();
        return 2;
    }
    hpart_options *options = nullptr;
    bench::check(hpart_options_create(&options));
    bench::check(hpart_options_set_string(options, "method", "paraleph"));
    bench::check(hpart_options_set_string(options, "threads", argv[1]));
    if (rank == 0)
        std::printf(
            "| p, n / p | ranks | objective | call, s | computing | communicating |\n|---|---|---|---:|---:|---:|\n");
    for (int k = 3; k + 1 < argc; k += 2) {
        const auto p = std::atoll(argv[k]), each = std::atoll(argv[k + 1]);
        const bench::Platform all({"", bench::Kind::alike, p, 1024, p * each});
        for (const auto objective : {HPART_OBJECTIVE_TIME, HPART_OBJECTIVE_ENERGY}) {
            const auto found =
                run(rank == 0 ? all.handle() : nullptr, objective, p * each, options, std::atoll(argv[2]));
            if (rank != 0) continue;
            std::printf("| %lld, %lld | %d | %s | %.3g | %.3g | %.3g |\n", p, each, ranks,
                        objective == HPART_OBJECTIVE_TIME ? "time" : "energy", found.call, found.computing,
                        found.communicating);
            std::fflush(stdout);
        }
    }
    hpart_options_destroy(options);
    MPI_Finalize();
    return 0;
}
