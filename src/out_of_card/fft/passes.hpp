// A transform in two passes over a matrix of complex numbers on the host: one along its rows and one down its columns, each
// on a device in slabs that fit. What a device keeps between the passes does not leave it. Transforms that fit one or more at a time are
// the rows of a matrix that has the first pass only.
#pragma once

#include "host/page_memory.hpp"
#include "host/thread_group.hpp"
#include "out_of_card/fft/fft.hpp"
#include "out_of_card/in_card/fft.hpp"
#include "out_of_card/pipeline/flow.hpp"

#include <cstdint>
#include <vector>

namespace hpart
{

struct FftRange {
    std::int64_t first = 0, count = 0;
    std::int64_t end() const { return first + count; }
};

// Precision and direction of a transform.
struct FftType {
    bool is_double = true;
    int sign = -1;
    bool is_repeated = false;
    std::int64_t complex_bytes() const { return is_double ? 16 : 8; }
};

// One dimension's transforms within a row of a matrix: outer x length x inner numbers.
struct RowStep {
    FftKind kind = FftKind::complex;
    std::int64_t outer = 1, length = 1, inner = 1;
};

// All steps of so many rows, dense.
std::vector<DeviceFftShape> row_shapes(const FftType &type, const std::vector<RowStep> &steps, std::int64_t rows);

// A matrix on the host, or what its rows are made of or go to: each row is `lines` lines of real numbers there.
struct FftSide {
    unsigned char *data = nullptr; // an input's is only read
    bool is_real = false;
    std::int64_t lines = 1;       // of a row
    std::int64_t line_bytes = 0;  // that are there
    std::int64_t pitch_bytes = 0; // from line to line
    std::int64_t item_bytes = 0;  // from matrix to matrix
    std::int64_t bytes_of_rows(std::int64_t count) const { return count * lines * line_bytes; }
};

struct FftPasses {
    FftType type;
    std::int64_t items = 1; // such transforms, one after another
    std::int64_t rows = 1, columns = 1;
    std::vector<RowStep> row_steps; // in order
    // From the slowest; their product is rows. None: one pass, to middle, which is out.
    std::vector<std::int64_t> column_dims;
    // The pass along the rows is the first; else the one down the columns.
    bool rows_first = true;
    // One dimension of rows x columns points: a row of the matrix is a column of `in`, transformed and twiddled.
    bool twiddled = false;
    FftSide in, middle, out;

    bool is_one_pass() const { return column_dims.empty(); }
    std::int64_t complex_bytes() const { return type.complex_bytes(); }
    std::int64_t row_bytes() const { return columns * complex_bytes(); } // on the device
    // The matrix is cut along the first axis in the first pass, and along the second in the second.
    std::int64_t first_extent() const { return rows_first ? rows : columns; }
    std::int64_t second_extent() const { return rows_first ? columns : rows; }
    std::int64_t numbers() const { return rows * columns; }
    std::int64_t root_bytes() const { return twiddled ? count_twiddle_roots(numbers()) * complex_bytes() : 0; }
    // Bytes of the caller's arrays that a device with such a part of the axis reads and writes.
    std::int64_t in_bytes(std::int64_t first_count) const;
    std::int64_t out_bytes(std::int64_t second_count) const;
};

// The middle of a problem that has none: memory of the host for one transform.
class FftWorkspace
{
  public:
    explicit FftWorkspace(FftPasses &what);

  private:
    PageMemory bytes_;
};

// A step down so many columns of the matrix, and how often: neighbours are apart where it has others between them.
struct ColumnStep {
    DeviceFftShape shape;
    std::int64_t times = 1, distance = 0; // of the times, in complex numbers
};
std::vector<ColumnStep> column_steps(const FftPasses &what, std::int64_t columns, std::int64_t pitch);

// The columns of `in` that become `count` rows of a twiddled transform's matrix.
DeviceFftShape twiddled_shape(const FftPasses &what, std::int64_t count);
// Their twiddle, without places.
DeviceTwiddle twiddle_of(const FftPasses &what, const FftRange &rows);

// The way in which one device makes its share.
struct PassesPlan {
    FftRange first, second;          // its shares of the axes
    std::int64_t band = 1;           // of the first axis, a slab
    std::int64_t block = 1;          // of the second axis, a slab of what does not stay
    std::int64_t resident = 0;       // blocks that are kept on the device from its first pass
    std::int64_t slots = 3;          // buffers through which slabs go
    std::int64_t slot_numbers = 1;   // of each
    std::int64_t resident_block = 1; // of the second axis, a block that stays
    std::int64_t pieces = 1;         // in which a slab of columns moves: the next one takes its place piece by piece
    bool whole = false;              // the matrix stands in one buffer: all is resident
    std::int64_t scratch_bytes = 0, table_bytes = 0;

    std::int64_t resident_count() const
    {
        return whole ? second.count : std::min(resident * resident_block, second.count);
    }
    // That are moved, of all items.
    std::int64_t bytes_in(const FftPasses &what) const;
    std::int64_t bytes_out(const FftPasses &what) const;
    // Bytes of the shortest row, on the host, of the rectangles that are moved.
    std::int64_t shortest_row_bytes(const FftPasses &what) const;
    // Slabs of so many numbers that the slots hold at once: thin ones stand side by side.
    std::int64_t places(std::int64_t slab_numbers) const { return slots * (slot_numbers / slab_numbers); }
    // Bytes of the device's memory that it takes.
    std::int64_t memory(const FftPasses &what, const DeviceSession &session) const;
};

// The shapes of all transforms on the device.
std::vector<DeviceFftShape> shapes_of(const FftPasses &what, const PassesPlan &plan);

// The buffers on the device; taken before the flow begins.
struct PassesMemory {
    PassesMemory(DeviceSession &session, const FftPasses &what, const PassesPlan &plan);
    std::vector<SessionBuffer> slots, resident;
    SessionBuffer whole, scratch, roots;
    std::vector<unsigned char> root_values;
};

// One device's share. The passes are apart, since a device may need what others made in the first.
class PassesRun
{
  public:
    PassesRun(Flow &flow, InCardFft &engine, const FftPasses &what, const PassesPlan &plan, const PassesMemory &memory);

    void first_pass(std::int64_t item);
    // One slab alone, which is such a part of the pass.
    double first_slab();
    double second_slab();
    // The first pass's results are on the host, or the second has them all and the middle is free for another transform.
    void wait_for_middle(std::int64_t item);
    void second_pass(std::int64_t item);

  private:
    // Numbers of a part of the matrix on the device.
    struct Place {
        DeviceBuffer *buffer = nullptr;
        std::int64_t offset = 0, pitch = 0; // in complex numbers
    };
    struct Rect {
        FftRange rows, columns;
    };

    std::int64_t band_count() const;
    FftRange band(std::int64_t k) const;
    std::int64_t resident_blocks() const;
    std::int64_t block_count() const;
    FftRange block(std::int64_t k) const;
    FftRange resident_range() const;
    Rect rect(const FftRange &first, const FftRange &second) const;
    static Place slab_place(DeviceBuffer *buffer, const Rect &rect);
    Place place_in_whole(const Rect &rect) const;
    static Place inside(const Place &place, const Rect &outer, const Rect &inner);
    // The slab's place in the slots, which take slabs of so many numbers in turn.
    Place next_place(const Rect &rect, std::int64_t slab_numbers);
    std::int64_t band_numbers() const { return plan_.band * what_.second_extent(); }
    std::int64_t block_numbers() const { return plan_.block * what_.first_extent(); }
    Area area(const Place &place, const Rect &rect) const;

    void write(const FftSide &from, std::int64_t item, const Rect &rect, const Place &to);
    void read(const FftSide &to, std::int64_t item, const Rect &rect, const Place &from);
    // The parts in which a part of a slab at this place moves.
    std::vector<Rect> pieces_of(const Place &place, const Rect &rect) const;
    void transform_rows(const Place &place, const Rect &rect);
    void transform_columns(const Place &place, const Rect &rect);
    Place load_twiddled(std::int64_t item, const FftRange &range);
    void keep_or_read(std::int64_t item, const FftRange &range, const Place &place);
    void do_band(std::int64_t item, std::int64_t k);
    void do_block(std::int64_t item, std::int64_t k);
    void report_progress(const char *what);

    Flow &flow_;
    InCardFft &engine_;
    const FftPasses &what_;
    const PassesPlan &plan_;
    const PassesMemory &memory_;
    std::int64_t place_ = 0;
    std::int64_t steps_ = 0;
};

// The passes of a transform on the host, where its data is: by FFTW on several threads.

// If middle.data is null, they use memory of the host for one transform.
void first_pass_on_host(OwnThreads &team, const FftPasses &what, std::int64_t item, const FftRange &share);
void second_pass_on_host(OwnThreads &team, const FftPasses &what, std::int64_t item, const FftRange &share);

// A whole call, in two passes by several threads where it is large.
void fft_on_host(OwnThreads &team, const FftCall &call);

// From the transform of n / 2 complex numbers, in place, the n / 2 + 1 of the half spectrum.
void unfold_spectrum(OwnThreads &team, bool is_double, std::int64_t n, void *spectrum);
// The n / 2 complex numbers whose backward transform are the n real ones; `spectrum` may be `folded`.
void fold_spectrum(OwnThreads &team, bool is_double, std::int64_t n, const void *spectrum, void *folded);

} // namespace hpart
