// Products and sums of matrices where they are: on the host, by the BLAS.
#pragma once

#include "core/progress.hpp"
#include "out_of_card/gemm/gemm.hpp"
#include "out_of_card/gemm/one_device.hpp"
#include "out_of_card/pipeline/device_team.hpp"

#include <memory>
#include <vector>

namespace hpart
{

// On so many threads; 0: on all that the BLAS has. Status::unsupported without a BLAS, and where a size does not fit its
// integers.
void gemm_on_host(const GemmCall &row_major, int threads, Control &control);
void gemv_on_host(const GemvCall &call);
// Fails as it does for sizes that the BLAS does not take; nothing is written.
void check_host_sizes(const GemvCall &call);
// Fails as gemm_on_host does, before anything is changed.
void check_host_sizes(const GemmCall &row_major);
// True if this build has the BLAS that these need.
bool has_host_blas();

// A device's part in a product that several devices share.

// The devices share C's rows, or its columns: each device reads all of the smaller operand.
struct GemmSplit {
    bool by_rows = true;
    std::int64_t length = 0; // of C that way
    std::int64_t unit = 1;   // every share is a multiple of it, but the last

    std::int64_t units() const { return ceil_div(length, unit); }
    GemmShape part_of(GemmShape shape, std::int64_t part_length) const;
    GemmCall part_of(const GemmCall &row_major, std::int64_t first, std::int64_t part_length) const;
};

GemmSplit split_of(const GemmShape &shape, std::int64_t row_multiple, std::int64_t column_multiple);

class DeviceWorker
{
  public:
    // The device's in_use is held.
    DeviceWorker(DeviceSession &session, const GemmCall &row_major, const GemmSettings &settings, std::size_t workers);

    DeviceSession &session() const { return session_; }
    const GemmSettings &settings() const { return settings_; }
    std::int64_t row_multiple() const { return model_.row_multiple; }
    std::int64_t column_multiple() const { return model_.column_multiple; }

    // Times of 1, 2 ... units: modelled at a few sizes, on lines between.
    std::vector<double> seconds(const GemmShape &shape, const GemmSplit &split) const;
    // Corrects the models of later calls by the time that a part took.
    void learn(double modelled_seconds, double seconds) { correction_->learn(modelled_seconds, seconds); }

  private:
    double modelled_seconds(const GemmShape &shape) const;

    DeviceSession &session_;
    GemmSettings settings_;
    std::shared_ptr<InCardGemm> kernel_;
    bool in_place_;
    DeviceModel model_;
    std::shared_ptr<Correction> correction_;
    double core_share_ = 1; // of the cores that the model's rates were measured with
};

// C is split by rows, or by columns where that repeats less: the shares come from the library's own partitioner, on the
// devices' modelled times, corrected by what earlier calls took. Each device works on a thread of its own; the host, without a
// memory limit, in place on the cores that the others leave. When one fails, all stop.
Account gemm_on_devices(DeviceGroup &devices, const GemmCall &row_major, const GemmSettings &settings,
                        Control &control);

} // namespace hpart
