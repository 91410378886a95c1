// A meter's source whose readings come from a function.
#pragma once

#include "energy/meter.hpp"

#include <functional>

namespace support
{

class FunctionSource final : public hpart::Source
{
  public:
    explicit FunctionSource(std::function<hpart::Reading()> function) : function_(std::move(function)) {}
    hpart::Reading read() override { return function_(); }

  private:
    std::function<hpart::Reading()> function_;
};

} // namespace support
