// A communicator for one call: the ranks fail together, with one message, or go on together.
#pragma once

#include "c_api/handles.hpp"
#include "core/error.hpp"
#include "hpart_mpi.h"
#include "mpi/bytes.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace hpart::mpi
{

// Throws Status::device with MPI's text.
void check(int code, const char *function);

// Throws the failure of a function of hpart.h.
void check_status(hpart_status status);

// The failure of this rank. It needs no memory: being out of it is one of them.
struct Failure {
    std::int32_t status = HPART_SUCCESS;
    std::array<char, c_api::last_error_bytes> message{};
    std::array<char, c_api::last_option_bytes> option{};

    void set(Status why, const char *words, const char *key = "") noexcept;
    // Throws it, unless it is a success.
    void check(const std::string &prefix = "") const;
};

template <typename Body> Failure failure_of(Body &&body) noexcept
{
    Failure failure;
    c_api::status_of(body, [&](Status status, const char *words, const char *key) {
        failure.set(status, words, key);
        return failure.status;
    });
    return failure;
}

// A duplicate of the caller's communicator: messages of the two do not mix. Every rank makes the same calls in the same order.
class Communicator
{
  public:
    explicit Communicator(MPI_Comm users);
    Communicator(const Communicator &) = delete;
    Communicator &operator=(const Communicator &) = delete;
    ~Communicator();

    int rank() const { return rank_; }
    int size() const { return size_; }
    bool is_root() const { return rank_ == 0; }
    MPI_Comm get() const { return comm_; }

    // Runs body on every rank. If it throws on any, all ranks throw the error of the first such rank, which the message names.
    template <typename Body> void together(Body &&body) const { agree(failure_of(body)); }
    // Runs body on rank 0, whose error all ranks throw.
    template <typename Body> void on_root(Body &&body) const
    {
        Failure failure;
        if (is_root()) failure = failure_of(body);
        share(failure, 0, "");
    }

    // Fails unless the argument is the same on all ranks.
    void require_equal(const char *name, std::int64_t value) const;
    // True if it is on any rank.
    bool any(bool value) const;
    std::int64_t largest(std::int64_t value) const;
    // Returns when all ranks have called it, without using the processor while it waits. `meanwhile` runs until then.
    template <typename Meanwhile> void wait_for_all(Meanwhile &&meanwhile) const
    {
        MPI_Request request = MPI_REQUEST_NULL;
        check(MPI_Ibarrier(comm_, &request), "MPI_Ibarrier");
        for (int done = 0; true; meanwhile()) {
            check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
            if (done != 0) return;
        }
    }
    void wait_for_all() const;

    // Rank 0 gets the bytes of every rank, the others nothing.
    std::vector<Bytes> gather(const Bytes &mine) const;
    // Every rank gets the bytes of rank 0.
    void broadcast(Bytes &bytes) const;
    // Rank r gets pieces[r] of rank 0.
    Bytes scatter(const std::vector<Bytes> &pieces) const;

  private:
    // All ranks throw the failure of the first rank that has one.
    void agree(const Failure &mine) const;
    void share(Failure &failure, int source, const std::string &prefix) const;
    void send(const Bytes &bytes, int to) const;
    void receive(Bytes &bytes, int from) const;

    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = 0;
    int size_ = 1;
};

} // namespace hpart::mpi
