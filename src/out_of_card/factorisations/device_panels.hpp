// Panels of a factorisation that the device factors in its own memory.
#pragma once

#include "out_of_card/factorisations/device_work.hpp"
#include "out_of_card/factorisations/on_host.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace hpart
{

// The numbers that each panel's factorisation finds, on the device and on the host: a flag, LAPACK's info, and pivots or tau.
class PanelResults
{
  public:
    PanelResults(DeviceWork &work, std::int64_t panels, std::int64_t bytes_a_panel);
    PanelResults(const PanelResults &) = delete;
    PanelResults &operator=(const PanelResults &) = delete;
    ~PanelResults();

    static std::int64_t bytes(std::int64_t panels, std::int64_t bytes_a_panel)
    {
        return panels * (head_bytes + bytes_a_panel);
    }
    BufferSide on_device(std::int64_t k) const { return {buffer_.get(), k * row_bytes_, row_bytes_}; }
    BufferSide found_on_device(std::int64_t k) const;
    Area area(std::int64_t k) const { return area_of(on_device(k), {1, row_bytes_}); }
    // Before the first panel: flags are set on the device, never cleared.
    void clear();
    // Sends the pivots or tau alone.
    void send(std::int64_t k, const void *found, std::int64_t bytes);
    void fetch(std::int64_t k);
    // True if the panel that was fetched is usable; waits for it.
    bool await(std::int64_t k);
    // True if the panel that was fetched need not be waited for.
    bool is_here(std::int64_t k);
    const void *found(std::int64_t k) const { return row(k) + head_bytes; }

    static constexpr std::int64_t head_bytes = 16;

  private:
    unsigned char *row(std::int64_t k) const { return static_cast<unsigned char *>(on_host_->data()) + k * row_bytes_; }

    DeviceWork &work_;
    DeviceSession &session_;
    std::int64_t panels_, row_bytes_;
    bool is_cleared_ = false;
    SessionBuffer buffer_;
    std::unique_ptr<PinnedMemory> on_host_;
};

// Under which name a session keeps the rates of its panels.
std::string name_of_device_panels(StepKind method, Scalar type);
// Measured at the first call for this device, and kept with it. Nothing if the device has no library that factors panels, or too
// little memory to measure in. The device's in_use is held.
std::optional<DevicePanelRates> measured_device_panels(DeviceSession &session, StepKind method, Scalar type);

// Panels by cuSOLVER, of one operation.
class DevicePanels
{
  public:
    DevicePanels(DeviceWork &work, const FactorisationStep &problem, const LeftLookingShape &shape,
                 PanelResults &results);
    // The device's memory that these take, with the results; nothing if the library does not tell.
    static std::optional<std::int64_t> bytes(DeviceSession &session, const FactorisationStep &problem,
                                             const LeftLookingShape &shape);
    static std::int64_t bytes_found(const FactorisationStep &problem, std::int64_t width);

    // Factors a copy of `from` in `to`, and fetches its results. Both have the layout of the operation.
    void factor(std::int64_t k, const DeviceBlock &from, const DeviceBlock &to);
    // The panel that was factored last, once more: of row-major ones.
    void turn_to(const DeviceBlock &to);
    // Waits for it. False: the host must factor the panel. It holds something that is no number, which cuSOLVER passes over, or
    // has a pivot that nothing can be divided by.
    bool await(std::int64_t k);

    // b = op(a)^-1 b, or b op(a)^-1.
    struct Solution {
        Side side = Side::left;
        Triangle triangle = Triangle::lower;
        Transpose transpose = Transpose::none;
        bool unit_diagonal = false;
    };
    void solve(const Solution &how, const DeviceBlock &a, const DeviceBlock &b);
    // Writes ones on a square's diagonal, and zeros above it.
    void make_unit_lower(const DeviceBlock &square);
    // products = V^H V, beside other kernels.
    void multiply_reflectors(const DeviceBlock &v, const DeviceBlock &products);

  private:
    struct Tools;
    friend std::optional<DevicePanelRates> measured_device_panels(DeviceSession &, StepKind, Scalar);
    static std::shared_ptr<Tools> tools_of(DeviceSession &session);

    DeviceWork &work_;
    std::shared_ptr<Tools> tools_;
    const FactorisationStep problem_;
    PanelResults &results_;
    std::int64_t room_bytes_;
    SessionBuffer room_;
    std::optional<DeviceBlock> turned_; // a panel by columns, of row-major ones
    std::vector<bool> refused_;         // for want of room
};

} // namespace hpart
