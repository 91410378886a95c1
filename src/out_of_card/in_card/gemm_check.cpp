// Compares a caller's kernel with the host on products of a tile and a bit, of small whole numbers: their sums are exact.
#include "core/error.hpp"
#include "out_of_card/in_card/gemm_kinds.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace hpart
{

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
