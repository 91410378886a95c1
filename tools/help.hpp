// Help that fits the terminal; into a file or pipe each description is one line, as the manual pages need it.
#pragma once

#include <CLI/CLI.hpp>

#include <memory>

namespace hpart_command
{

std::shared_ptr<CLI::FormatterBase> help_formatter();

} // namespace hpart_command
