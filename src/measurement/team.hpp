// A team: abstract processors that run here.
#pragma once

#include "core/options.hpp"
#include "energy/meter.hpp"
#include "host/cores.hpp"
#include "kernels/kernel.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hpart
{

struct Member {
    std::string name;
    std::unique_ptr<Kernel> kernel;
    CoreList cores;         // empty: unbound
    Meter *meter = nullptr; // borrowed; of this processor alone
    std::optional<std::int64_t> memory_limit = {};
    CoreList occupied = cores; // that its work runs on; empty: unknown
};

class Application;

class Team
{
  public:
    // Fails when the name is taken or no processor's name.
    void add(Member member);
    std::size_t count() const { return members_.size(); }
    const Member &member(std::size_t i) const { return members_.at(i); }

    // A meter of the whole node, or meters of processors: setting the one kind fails while the other is there, and a meter
    // measures one processor only. Null takes a meter away.
    void set_node_meter(Meter *meter);
    void set_meter(std::size_t i, Meter *meter);
    Meter *node_meter() const { return node_meter_; }
    // The node's meter alone, or the processors' meters, in their order.
    std::vector<Meter *> meters() const;

    // The application that runs the work of all processors; null: each has a kernel of its own. measurement/application.hpp.
    Application *application() const { return application_.get(); }
    void set_application(std::shared_ptr<Application> application) { application_ = std::move(application); }

    // The kernel that all processors share, "dgemm n=512 k=512"; "" if they run different or user-defined kernels.
    std::string shared_kernel() const;
    // The kernel named in platform files: the name given here, one line, else shared_kernel() and math modes, else the commands of all processors.
    void set_kernel(const std::string &name);
    HPART_PRIVATE std::string kernel() const;
    // True if a kernel of the processors is.
    bool is_interruptible(std::span<const std::size_t> processors) const
    {
        return std::ranges::any_of(processors, [&](auto i) { return member(i).kernel->is_interruptible(); });
    }
    bool is_interruptible() const
    {
        return std::ranges::any_of(members_, [](const auto &one) { return one.kernel->is_interruptible(); });
    }
    // Why printed times of some run cannot be its time; "" if they can.
    HPART_PRIVATE std::string time_doubt() const;
    // The coarsest step of the processors' printed times; nothing if one of them prints none.
    std::optional<double> printed_step() const;
    // The rows of each processor: of one shared problem in the order of processors, else all from row 0. Fails on a
    // negative size and on sums that do not fit.
    std::vector<Slice> slices(std::span<const std::int64_t> x) const;

  private:
    std::string commands() const;
    std::string math_modes() const;

    std::vector<Member> members_;
    std::shared_ptr<Application> application_;
    Meter *node_meter_ = nullptr;
    std::string kernel_name_;
};

// Processors that run what a command names: a program, or a function of a shared library.

struct ExternalProcessor {
    std::unique_ptr<Kernel> kernel;
    CoreList cores; // empty: unbound
};

// "./app --gpu {size}", or "lib:PATH:FUNCTION[@CORES]" with int FUNCTION(int64_t size, void *user), user NULL; options of call_program.
ExternalProcessor make_external(std::string_view command, const Options &options);

} // namespace hpart
