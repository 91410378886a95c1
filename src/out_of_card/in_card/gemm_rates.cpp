#include "out_of_card/in_card/gemm_rates.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"
#include "core/progress.hpp"
#include "core/text.hpp"
#include "out_of_card/in_card/gemm.hpp"
#include "out_of_card/in_card/spans.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace hpart
{

namespace
{

// Time of an element of the result, on a line between neighbouring depths. Beyond the deepest, time grows in proportion to depth: the slope
// between two measurements is mostly their noise.
double per_element(const std::vector<GemmRates::Point> &points, double depth)
{
    if (points.size() == 1) return points[0].seconds * depth / static_cast<double>(points[0].depth);
    const auto above = std::find_if(points.begin() + 1, points.end() - 1, [&](const GemmRates::Point &point) {
        return static_cast<double>(point.depth) >= depth;
    });
    const auto &low = *(above - 1), &high = *above;
    const auto slope = (high.seconds - low.seconds) / static_cast<double>(high.depth - low.depth);
    if (depth < static_cast<double>(low.depth)) {
        const auto value = low.seconds + slope * (depth - static_cast<double>(low.depth));
        return std::max(value, low.seconds * depth / static_cast<double>(low.depth));
    }
    if (depth > static_cast<double>(high.depth)) return high.seconds * depth / static_cast<double>(high.depth);
    return low.seconds + slope * (depth - static_cast<double>(low.depth));
}

constexpr std::int64_t rate_depths[] = {32, 64, 128, 256, 512};
constexpr std::int64_t first_side = 256, last_side = 8192;
constexpr int runs_of_a_size = 3;
constexpr double seconds_of_a_tile = 0.05;
// A tile whose deepest step takes so long is large enough to be typical.
constexpr double typical_step_seconds = 5e-3;

double side_of(const GemmTrial &trial)
{
    return std::sqrt(static_cast<double>(trial.largest().m) * static_cast<double>(trial.largest().n));
}

GemmRates::Tile measure_tile(GemmTrial &trial, double launch)
{
    const auto room = trial.largest();
    const auto elements = static_cast<double>(room.m) * static_cast<double>(room.n);
    GemmRates::Tile tile{side_of(trial), {}};
    for (const auto depth : rate_depths) {
        if (depth > room.k && !tile.points.empty()) break;
        const auto k = std::min(depth, room.k);
        const auto seconds = trial.seconds({room.m, room.n, k}, runs_of_a_size,
                                           seconds_of_a_tile / static_cast<double>(std::size(rate_depths)));
        tile.points.push_back({k, std::max(seconds - launch, seconds / 2) / elements});
    }
    return tile;
}

GemmTrial trial_of(DeviceSession &session, InCardGemm &kernel, std::int64_t side)
{
    return {
        session,
        kernel,
        {round_up(side, kernel.row_multiple()), round_up(side, kernel.column_multiple()), *std::rbegin(rate_depths)}};
}

// The side of a typical tile, where a step's time grows with the tile's elements.
std::int64_t typical_side(const GemmRates::Tile &small)
{
    const auto step = small.points.back().seconds * small.side * small.side;
    auto side = first_side;
    for (double seconds = step; seconds < typical_step_seconds && side < last_side; seconds *= 4) side *= 2;
    return side;
}

// A small tile, a typical one, and one between them.
GemmRates measure(DeviceSession &session, InCardGemm &kernel)
{
    double launch = 0;
    std::vector<GemmRates::Tile> tiles;
    bool is_whole = true;
    const auto add = [&](std::int64_t side) {
        auto trial = trial_of(session, kernel, side);
        is_whole = trial.is_whole();
        if (!tiles.empty() && side_of(trial) <= tiles.back().side) return;
        if (tiles.empty() && !session.info().on_host_cores) trial.warm_up();
        if (tiles.empty()) launch = trial.launch_seconds();
        tiles.push_back(measure_tile(trial, launch));
    };
    add(first_side);
    const auto typical = typical_side(tiles.front());
    for (const auto side : {typical / 2, typical})
        if (is_whole) add(side);
    return {launch, std::move(tiles)};
}

} // namespace

GemmRates::GemmRates(double launch_seconds, std::vector<Tile> tiles)
    : launch_seconds_(launch_seconds), tiles_(std::move(tiles))
{
}

double GemmRates::seconds(std::int64_t rows, std::int64_t columns, std::int64_t depth) const
{
    const auto elements = static_cast<double>(rows) * static_cast<double>(columns), side = std::sqrt(elements);
    const auto at = static_cast<double>(depth);
    const auto above =
        std::find_if(tiles_.begin(), tiles_.end() - 1, [&](const Tile &tile) { return tile.side >= side; });
    double each = per_element(above->points, at);
    if (above != tiles_.begin() && above->side > side) {
        const auto &below = *(above - 1);
        const auto share = (side - below.side) / (above->side - below.side);
        each = (1 - share) * per_element(below.points, at) + share * each;
    }
    return launch_seconds_ + elements * each;
}

std::string name_of_gemm_rates(std::string_view kernel, Scalar type)
{
    return text("rates of gemm ", kernel, ' ', static_cast<int>(type));
}

std::shared_ptr<const GemmRates> measured_gemm_rates(DeviceSession &session, InCardGemm &kernel)
{
    return session.kept_rate<const GemmRates>(name_of_gemm_rates(kernel.name(), kernel.type()), [&] {
        return std::make_shared<const GemmRates>(measure(session, kernel));
    });
}

namespace
{

// Bytes of A, B and C, with rows as far apart as the operations have them.
std::array<std::int64_t, 3> bytes_of_operands(const GemmSize &size, Scalar type)
{
    const auto bytes = [type](std::int64_t rows, std::int64_t columns) {
        return rows * padded_row(columns, type) * bytes_of(type);
    };
    return {bytes(size.m, size.k), bytes(size.k, size.n), bytes(size.m, size.n)};
}

bool fits(const DeviceSession &session, const InCardGemm &kernel, const GemmSize &size)
{
    const auto free = session.memory_limit() - session.used(), largest_buffer = session.info().largest_buffer_bytes;
    if (padded_row(std::max({size.m, size.n, size.k}), kernel.type()) > kernel.largest_side()) return false;
    auto sum = scratch_taken(session, kernel, size.m, size.n, size.k);
    for (const auto bytes : bytes_of_operands(size, kernel.type())) {
        if (bytes > largest_buffer) return false;
        sum += session.taken_by(bytes);
    }
    return sum <= free;
}

// Rates hang on the block of C more than on a depth that is a quarter of its sides.
GemmSize shrunk(const GemmSize &size)
{
    const auto half = [](std::int64_t side) { return std::max<std::int64_t>(1, side / 2); };
    if (size.k > 1 && 4 * size.k > std::min(size.m, size.n)) return {size.m, size.n, half(size.k)};
    return {half(size.m), half(size.n), size.k};
}

void wait_for(const Event &event)
{
    if (event->wait() != EventState::done)
        fail(event->failure_status(), "a kernel that was to be timed failed with ", event->failure());
}

// Any numbers, again and again: with ones units take less power, and a GPU's clock is a fifth higher.
template <typename Real>
void fill(DeviceSession &session, DeviceQueue &queue, const SessionBuffer &buffer, std::int64_t bytes)
{
    constexpr std::int64_t most_bytes = std::int64_t{1} << 20;
    auto filled = std::min(bytes, most_bytes);
    std::vector<Real> values(static_cast<std::size_t>(filled) / sizeof(Real));
    std::minstd_rand random;
    for (auto &value : values) value = std::uniform_real_distribution<Real>(-1, 1)(random);
    auto event = session.device().write(queue, {buffer.get(), 0, filled}, values.data(), filled, {1, filled}, {});
    try {
        for (; filled < bytes; filled *= 2) {
            const auto more = std::min(filled, bytes - filled);
            event = session.device().copy(queue, {buffer.get(), 0, more}, {buffer.get(), filled, more}, {1, more}, {});
        }
        session.device().flush(queue);
    } catch (...) {
        event->wait(); // it reads what goes
        throw;
    }
    wait_for(event);
}

} // namespace

GemmTrial::GemmTrial(DeviceSession &session, InCardGemm &kernel, GemmSize largest)
    : session_(session), kernel_(kernel), largest_(largest), queue_(session.device().make_queue())
{
    const auto is_least = [&] { return largest_.m * largest_.n * largest_.k <= 1; };
    for (;; largest_ = shrunk(largest_), whole_ = false) {
        if (!fits(session, kernel, largest_) && !is_least()) continue;
        try {
            make_operands();
            return;
        } catch (const Error &error) { // the device has less than the account: libraries and others take of it, too
            if (error.status() != Status::out_of_memory || is_least()) throw;
        }
    }
}

void GemmTrial::make_operands()
{
    const auto make = [&](SessionBuffer &buffer, std::int64_t bytes) {
        buffer.release();
        buffer = session_.allocate(bytes);
        if (is_double(kernel_.type()))
            fill<double>(session_, *queue_, buffer, bytes);
        else
            fill<float>(session_, *queue_, buffer, bytes);
    };
    const auto [a, b, c] = bytes_of_operands(largest_, kernel_.type());
    make(a_, a);
    make(b_, b);
    make(c_, c);
    scratch_.release();
    scratch_ = allocate_scratch(session_, kernel_, largest_.m, largest_.n, largest_.k);
}

double GemmTrial::run(const GemmSize &size, int times)
{
    DeviceGemm what;
    what.m = size.m;
    what.n = size.n;
    what.k = size.k;
    what.beta = 1;
    what.a = {a_.get(), 0, padded_row(size.k, kernel_.type())};
    what.b = {b_.get(), 0, padded_row(size.n, kernel_.type())};
    what.c = {c_.get(), 0, padded_row(size.n, kernel_.type())};
    what.scratch = scratch_.get();
    std::vector<Event> events;
    events.reserve(static_cast<std::size_t>(times));
    const auto start = Clock::now();
    for (int time = 0; time < times; ++time)
        events.push_back(session_.device().launch(*queue_, kernel_.product(what), {}));
    session_.device().flush(*queue_);
    for (const auto &event : events) wait_for(event);
    const auto by_host = seconds_since(start), by_device = events.back()->interval().end - events[0]->interval().start;
    const bool is_known = session_.info().backend == Backend::cuda && by_device > 0; // others may not know
    return std::max(is_known ? by_device : by_host, clock_tick_seconds);
}

void GemmTrial::warm_up()
{
    constexpr double seconds_of_clocks = 0.05;
    for (const auto begin = Clock::now(); seconds_since(begin) < seconds_of_clocks;) run(largest_, 8);
}

double GemmTrial::seconds(const GemmSize &size, int most_runs, double budget_seconds)
{
    constexpr double long_enough = 1e-3; // beside the way to the device and back
    constexpr int most_in_a_row = 128;
    run(size, 1);
    auto least = std::numeric_limits<double>::infinity();
    const auto begin = Clock::now();
    for (int time = 0, in_a_row = 1; time < most_runs && (time == 0 || seconds_since(begin) < budget_seconds); ++time) {
        least = std::min(least, run(size, in_a_row) / in_a_row);
        in_a_row = std::clamp(static_cast<int>(long_enough / least), in_a_row, most_in_a_row);
    }
    return least;
}

double GemmTrial::launch_seconds()
{
    constexpr int in_a_row = 8, turns = 4;
    const GemmSize size{std::min(kernel_.row_multiple(), largest_.m), std::min(kernel_.column_multiple(), largest_.n),
                        1};
    run(size, 1);
    // The least: the times of steps lose this time, so an excess would make them too short.
    auto least = std::numeric_limits<double>::infinity();
    for (int turn = 0; turn < turns; ++turn) least = std::min(least, run(size, in_a_row) / in_a_row);
    return least;
}

// Compares a caller's kernel with the host on products of a tile and a bit, of small whole numbers: their sums are exact.

namespace
{

template <typename Value> class Check
{
  public:
    Check(DeviceSession &session, InCardGemm &kernel)
        : session_(session), kernel_(kernel), m_(std::min(kernel.row_multiple(), longest) + 3),
          n_(std::min(kernel.column_multiple(), longest) + 5)
    {
        while (!fits() && offset_ > 0) shrink();
    }

    void run()
    {
        for (const auto a : transposes)
            for (const auto b : transposes)
                for (const auto &[alpha, beta] : {std::pair(2.0, 0.0), std::pair(-1.0, 1.0)})
                    compare(a, b, alpha, beta);
    }
    // One product of a few elements, as deep as the memory allows: loops and indices may end at 65,535.
    void run_deep()
    {
        m_ = 2, n_ = 3, k_ = std::min<std::int64_t>(70'001, kernel_.largest_side() - gap_);
        while (k_ > 1 && !fits()) k_ /= 2;
        if (k_ > 0 && fits()) compare(Transpose::none, Transpose::none, 2, 0.5);
    }

  private:
    static constexpr Transpose transposes[] = {Transpose::none, Transpose::transpose, Transpose::conjugate};

    struct Matrix {
        std::int64_t rows, columns, ld, offset;
        std::vector<Value> values;
        Value &at(std::int64_t i, std::int64_t j) { return values[static_cast<std::size_t>(offset + i * ld + j)]; }
    };

    // The memory's limit holds here, too: the operations' tiles are as small then.
    bool fits() const
    {
        const auto taken = [&](std::int64_t rows, std::int64_t columns) {
            const auto values = offset_ + rows * columns + std::max(rows, columns) * gap_; // stored either way
            return session_.taken_by(values * static_cast<std::int64_t>(sizeof(Value)));
        };
        return taken(m_, k_) + taken(k_, n_) + taken(m_, n_) <= session_.memory_limit() - session_.used();
    }
    void shrink()
    {
        auto &longest_side = m_ >= std::max(n_, k_) ? m_ : n_ >= k_ ? n_ : k_;
        if (longest_side > 1)
            longest_side /= 2;
        else
            offset_ = gap_ = 0;
    }

    Matrix any(std::int64_t rows, std::int64_t columns)
    {
        Matrix matrix{rows, columns, columns + gap_, offset_, {}};
        matrix.values.resize(static_cast<std::size_t>(matrix.offset + rows * matrix.ld));
        std::uniform_int_distribution<int> small(-3, 3);
        for (auto &value : matrix.values) {
            value = static_cast<Real<Value>>(small(random_));
            if constexpr (is_complex_type<Value>) value += Value(0, static_cast<Real<Value>>(small(random_)));
        }
        return matrix;
    }

    static Value element(Matrix &x, Transpose transpose, std::int64_t i, std::int64_t j)
    {
        const auto value = transpose == Transpose::none ? x.at(i, j) : x.at(j, i);
        if constexpr (is_complex_type<Value>)
            if (transpose == Transpose::conjugate) return std::conj(value);
        return value;
    }

    SessionBuffer send(DeviceQueue &queue, const Matrix &matrix)
    {
        const auto bytes = static_cast<std::int64_t>(matrix.values.size() * sizeof(Value));
        auto buffer = session_.allocate(bytes);
        wait(session_.device().write(queue, {buffer.get(), 0, bytes}, matrix.values.data(), bytes, {1, bytes}, {}));
        return buffer;
    }

    void wait(const Event &event) const
    {
        if (event->wait() != EventState::done)
            fail(event->failure_status(), "kernel ", in_quotes(kernel_.name()), " failed with ", event->failure());
    }

    void compare(Transpose transpose_a, Transpose transpose_b, double alpha, double beta)
    {
        auto a = transpose_a == Transpose::none ? any(m_, k_) : any(k_, m_),
             b = transpose_b == Transpose::none ? any(k_, n_) : any(n_, k_), c = any(m_, n_);
        const auto before = c;
        if (beta == 0) // it must not be read
            for (std::int64_t i = 0; i < m_; ++i)
                for (std::int64_t j = 0; j < n_; ++j) c.at(i, j) = std::numeric_limits<Real<Value>>::quiet_NaN();
        auto &device = session_.device();
        const auto queue = device.make_queue();
        const auto of_a = send(*queue, a), of_b = send(*queue, b), of_c = send(*queue, c);
        const DeviceGemm what{m_,
                              n_,
                              k_,
                              transpose_a,
                              transpose_b,
                              alpha,
                              beta,
                              {of_a.get(), a.offset, a.ld},
                              {of_b.get(), b.offset, b.ld},
                              {of_c.get(), c.offset, c.ld}};
        wait(device.launch(*queue, kernel_.product(what), {}));
        auto got = c;
        const auto bytes = static_cast<std::int64_t>(c.values.size() * sizeof(Value));
        wait(device.read(*queue, {of_c.get(), 0, bytes}, got.values.data(), bytes, {1, bytes}, {}));
        auto expected = before;
        for (std::int64_t i = 0; i < m_; ++i)
            for (std::int64_t j = 0; j < n_; ++j) {
                Value sum{};
                for (std::int64_t k = 0; k < k_; ++k)
                    sum += element(a, transpose_a, i, k) * element(b, transpose_b, k, j);
                expected.at(i, j) =
                    static_cast<Real<Value>>(alpha) * sum + static_cast<Real<Value>>(beta) * expected.at(i, j);
            }
        for (std::size_t at = 0; at < got.values.size(); ++at)
            if (!(std::abs(got.values[at] - expected.values[at]) <= 1e-4 * (1 + std::abs(expected.values[at]))))
                refuse(static_cast<std::int64_t>(at) - c.offset, c.ld, transpose_a, transpose_b, beta, got.values[at],
                       expected.values[at]);
    }

    [[noreturn]] void refuse(std::int64_t at, std::int64_t ld, Transpose a, Transpose b, double beta, Value got,
                             Value right) const
    {
        constexpr std::string_view letters = "NTC";
        const auto letter = [&](Transpose one) { return letters.substr(static_cast<std::size_t>(one), 1); };
        const auto row = at < 0 ? -1 : at / ld;
        const auto place = at >= 0 && row < m_ && at % ld < n_ ? text("C(", row + 1, ",", at % ld + 1, ")")
                                                               : std::string("an element beside C");
        fail_argument("kernel is ", in_quotes(kernel_.name()), ", which is no product: of ", m_, " x ", n_, " x ", k_,
                      ", op(A) op(B) = ", letter(a), letter(b), ", beta = ", beta, ", ", place, " is ", std::real(got),
                      complex_part(got), ", not ", std::real(right), complex_part(right));
    }
    static std::string complex_part(Value value)
    {
        return !is_complex_type<Value> ? "" : text(" + ", std::imag(value), "i");
    }

    static constexpr std::int64_t longest = 256;
    DeviceSession &session_;
    InCardGemm &kernel_;
    std::int64_t m_, n_, k_ = 37;
    std::int64_t offset_ = 7, gap_ = 3; // elements before a matrix, and between its rows
    std::minstd_rand random_;
};

} // namespace

void check_gemm(DeviceSession &session, InCardGemm &kernel)
{
    with_type(kernel.type(), [&]<typename Value>() {
        Check<Value> check(session, kernel);
        check.run();
        check.run_deep();
    });
}

} // namespace hpart
