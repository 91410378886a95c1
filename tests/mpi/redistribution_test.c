/* Rows really moved by MPI_Alltoallv from one random distribution to the next: in order, or as few as possible, and none lost. */
#include "world.h"

enum { MOST_RANKS = 16, MOST_ROWS = 40, WIDTH = 3 };

static uint64_t state = 1;

static int64_t random_below(int64_t bound)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((state >> 33) % (uint64_t)bound);
}

static int64_t sum(const int64_t *values, int count)
{
    int64_t total = 0;
    int i;
    for (i = 0; i < count; ++i) total += values[i];
    return total;
}

/* Every rank draws the same: `total` rows on random ranks, sometimes on few of them. */
static void draw(int64_t total, int64_t *rows)
{
    int64_t k, among = 1 + random_below(ranks);
    memset(rows, 0, MOST_RANKS * sizeof *rows);
    for (k = 0; k < total; ++k) ++rows[random_below(among)];
}

static void move_rows(int32_t order, MPI_Datatype row)
{
    int64_t before[MOST_RANKS], after[MOST_RANKS], total = random_below(MOST_ROWS + 1), first, kept, k, moved = 0,
                                                   least = 0;
    int send_counts[MOST_RANKS], send_places[MOST_RANKS], receive_counts[MOST_RANKS], receive_places[MOST_RANKS], r;
    int64_t from[MOST_ROWS + 1][WIDTH], to[MOST_ROWS + 1][WIDTH], seen[MOST_ROWS + 1];
    draw(total, before);
    draw(total, after);
    memset(to, -1, sizeof to);
    memset(seen, 0, sizeof seen);
    first = sum(before, rank);
    for (k = 0; k < before[rank]; ++k)
        for (r = 0; r < WIDTH; ++r) from[k][r] = 10 * (first + k) + r;
    CHECK_OK(hpart_mpi_redistribution_compute(MPI_COMM_WORLD, order, before[rank], after[rank], send_counts,
                                              send_places, receive_counts, receive_places));
    MPI_Alltoallv(from, send_counts, send_places, row, to, receive_counts, receive_places, row, MPI_COMM_WORLD);
    for (k = 0; k < after[rank]; ++k) {
        int64_t number = to[k][0] / 10;
        CHECK(number >= 0 && number < total && to[k][0] == 10 * number && to[k][2] == 10 * number + 2);
        if (number >= 0 && number < total) ++seen[number];
        if (order == HPART_MPI_IN_ORDER) CHECK(number == sum(after, rank) + k);
    }
    CHECK(to[after[rank]][0] == -1); /* nothing behind them */
    MPI_Allreduce(MPI_IN_PLACE, seen, MOST_ROWS + 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    for (k = 0; k < total; ++k) CHECK(seen[k] == 1);
    if (order == HPART_MPI_IN_ORDER) return;
    kept = before[rank] < after[rank] ? before[rank] : after[rank];
    for (k = 0; k < kept; ++k) CHECK(to[k][0] == 10 * (first + k));
    for (r = 0; r < ranks; ++r) {
        if (r != rank) moved += receive_counts[r];
        if (after[r] > before[r]) least += after[r] - before[r];
    }
    MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(moved == least);
}

static void refused(void)
{
    int counts[4][MOST_RANKS], k;
    const int32_t order = HPART_MPI_FEWEST;
    MPI_Comm comm = MPI_COMM_WORLD;
    memset(counts, -1, sizeof counts);
    CHECK_REFUSED(hpart_mpi_redistribution_compute(comm, 2, 1, 1, counts[0], counts[1], counts[2], counts[3]),
                  "order is 2");
    CHECK_REFUSED(hpart_mpi_redistribution_compute(comm, order, rank == last ? -1 : 1, 1, counts[0], counts[1],
                                                   counts[2], counts[3]),
                  "old_rows is -1");
    CHECK_REFUSED(hpart_mpi_redistribution_compute(comm, order, 1, rank == last ? (int64_t)1 << 31 : 1, counts[0],
                                                   counts[1], counts[2], counts[3]),
                  "new_rows is 2147483648; it must be at most 2147483647");
    CHECK_REFUSED(hpart_mpi_redistribution_compute(comm, order, 1, 1 + (rank == last), counts[0], counts[1], counts[2],
                                                   counts[3]),
                  "the sums must be equal");
    for (k = 0; k < 4; ++k)
        CHECK_REFUSED(hpart_mpi_redistribution_compute(comm, order, 1, 1, rank == last && k == 0 ? NULL : counts[0],
                                                       rank == last && k == 1 ? NULL : counts[1],
                                                       rank == last && k == 2 ? NULL : counts[2],
                                                       rank == last && k == 3 ? NULL : counts[3]),
                      k % 2 == 0 ? "_counts is NULL" : "_displacements is NULL");
    if (ranks > 1)
        CHECK_REFUSED(
            hpart_mpi_redistribution_compute(comm, rank == last, 1, 1, counts[0], counts[1], counts[2], counts[3]),
            "order is 0 on one rank and 1 on another");
    for (k = 0; k < 4; ++k) CHECK(counts[k][0] == -1);
    CHECK_OK(hpart_mpi_redistribution_compute(comm, order, 2147483647, 2147483647, counts[0], counts[1], counts[2],
                                              counts[3]));
    CHECK(counts[0][rank] == 2147483647 && counts[2][rank] == 2147483647);
}

int main(int argc, char **argv)
{
    MPI_Datatype row;
    int k;
    start_world(&argc, &argv);
    if (ranks > MOST_RANKS) return 2;
    MPI_Type_contiguous(WIDTH, MPI_INT64_T, &row);
    MPI_Type_commit(&row);
    for (k = 0; k < 500; ++k) {
        move_rows(HPART_MPI_IN_ORDER, row);
        move_rows(HPART_MPI_FEWEST, row);
    }
    refused();
    MPI_Type_free(&row);
    MPI_Finalize();
    return check_result();
}
