#include "out_of_card/factorisations/products.hpp"

namespace hpart
{

namespace
{

// As many columns as make the BLAS fast.
constexpr std::int64_t usual_host_width = 128;

template <typename Value>
void multiply_on_host(Value alpha, const Factor<Value> &a, const Factor<Value> &b, Value beta, const Part<Value> &c)
{
    Routines<Value>::gemm(cblas_order(c.row_major), cblas_transpose(a.transpose), cblas_transpose(b.transpose),
                          blas_integer(c.rows, "m"), blas_integer(c.columns, "n"), blas_integer(a.columns(), "k"),
                          by_address(alpha), a.part.data, blas_integer(a.part.ld, "lda"), b.part.data,
                          blas_integer(b.part.ld, "ldb"), by_address(beta), c.data, blas_integer(c.ld, "ldc"));
}

template <typename Number> void add_reported(Number &sum, const Report &report, std::string_view key)
{
    if (const auto *value = report.find(key)) sum += std::get<Number>(*value);
}

} // namespace

Products::Products(Cards &cards, const Options &options, double flops)
    : cards_(cards), options_(options), control_(Control::from(options)), flops_(flops),
      host_width_(options.get_int("width") > 0 ? options.get_int("width") : usual_host_width)
{
}

template <typename Value>
void Products::multiply(Value alpha, const Factor<Value> &a, const Factor<Value> &b, Value beta, const Part<Value> &c)
{
    const auto k = a.columns();
    if (c.rows == 0 || c.columns == 0) return;
    const auto count = flops<Value>(c.rows, c.columns, k);
    if (count < flops<Value>(host_width_, host_width_, host_width_) / 8) // done before a card has begun
        return on_host(count, [&] { multiply_on_host(alpha, a, b, beta, c); });
    out_of_card({.type = ScalarOf<Value>::type,
                 .row_major = c.row_major,
                 .transpose_a = a.transpose,
                 .transpose_b = b.transpose,
                 .m = c.rows,
                 .n = c.columns,
                 .k = k,
                 .alpha = Coefficient(alpha),
                 .a = a.part.data,
                 .lda = a.part.ld,
                 .b = b.part.data,
                 .ldb = b.part.ld,
                 .beta = Coefficient(beta),
                 .c = c.data,
                 .ldc = c.ld},
                count);
}

Card *Products::only_card() const
{
    if (cards_.cards.size() != 1) return nullptr;
    auto &card = *cards_.cards.front();
    return card.info().shares_host_memory && !card.is_limited() ? nullptr : &card;
}

void Products::add(const FlowRecord &flow, const LeftLookingRecord &record)
{
    left_looking_ = record;
    flops_done_ += record.flops;
    panel_seconds_ += record.panel_seconds;
    bytes_to_device_ += flow.bytes_to_device;
    bytes_from_device_ += flow.bytes_from_device;
    kernel_seconds_ += flow.kernel_seconds;
    transfer_seconds_ += flow.transfer_seconds;
    overlap_seconds_ += flow.overlap_seconds;
}

void Products::out_of_card(const GemmCall &call, double flops)
{
    auto options = options_;
    if (const auto progress = options_.progress())
        options.set_progress(std::make_shared<ProgressCallback>([&, progress](double part, const char *what) {
            return (*progress)(fraction_after(std::max(part, 0.0), flops), what);
        }));
    Report report;
    gemm(cards_, call, options, report);
    flops_done_ += flops;
    double overlap = 0, transfer = 0;
    add_reported(overlap, report, "overlap");
    add_reported(transfer, report, "transfer_seconds");
    transfer_seconds_ += transfer;
    overlap_seconds_ += overlap * transfer;
    add_reported(kernel_seconds_, report, "kernel_seconds");
    add_reported(bytes_to_device_, report, "bytes_to_device");
    add_reported(bytes_from_device_, report, "bytes_from_device");
}

void Products::report(Report &report) const
{
    const auto seconds = seconds_since(start_);
    report.set("method", std::string(left_looking_ ? "left-looking" : "recursive"));
    report.set("width", left_looking_ ? left_looking_->panel : host_width_);
    if (left_looking_) report.set("resident_width", left_looking_->resident);
    report.set("bytes_to_device", bytes_to_device_);
    report.set("bytes_from_device", bytes_from_device_);
    report.set("seconds", seconds);
    report.set("panel_seconds", panel_seconds_);
    report.set("kernel_seconds", kernel_seconds_);
    report.set("transfer_seconds", transfer_seconds_);
    report.set("overlap", transfer_seconds_ > 0 ? overlap_seconds_ / transfer_seconds_ : 0.0);
    report.set("gflops", seconds > 0 ? flops_ / seconds * 1e-9 : 0.0);
}

#define HPART_MULTIPLY(Value)                                                                                          \
    template void Products::multiply(Value, const Factor<Value> &, const Factor<Value> &, Value, const Part<Value> &);
HPART_FOR_ALL_TYPES(HPART_MULTIPLY)
#undef HPART_MULTIPLY

} // namespace hpart
