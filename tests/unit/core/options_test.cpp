#include "core/error.hpp"
#include "core/options.hpp"
#include "hpart.h"
#include "support/errors.hpp"
#include "support/fake_clock.hpp"

#include <functional>

#include <gtest/gtest.h>

#include <tuple>

namespace hpart
{
namespace
{

void expect_refused(std::initializer_list<std::string_view> words, const std::function<void()> &action)
{
    support::expect_error(Status::invalid_argument, words, action);
}

TEST(OptionKeys, DefaultsAreValidForTheirOwnKey)
{
    for (const auto &key : option_keys()) {
        Options options;
        const bool has_default = key.type == OptionType::text ? !key.choices.empty() : key.default_text != "none";
        if (has_default) {
            EXPECT_NO_THROW(options.set_text(key.name, key.default_text)) << key.name;
        }
        EXPECT_NE(key.calls, 0U) << key.name;
        EXPECT_FALSE(key.meaning.empty()) << key.name;
    }
}

TEST(Options, TextsMayHaveUnits)
{
    Options options;
    options.set_text("deadline", "5ms");
    EXPECT_EQ(options.get_double("deadline"), 0.005);
    options.set_text("time_limit", "2min");
    EXPECT_EQ(options.get_double("time_limit"), 120);
    options.set_text("memory_limit", "4MiB");
    EXPECT_EQ(options.get_int("memory_limit"), 4 << 20);
    expect_refused({"'5 parsecs'; it must be a number of seconds, or a time such as 5ms"},
                   [&] { options.set_text("deadline", "5 parsecs"); });
    expect_refused({"'4ms'; it must be a number"}, [&] { options.set_text("slowdown", "4ms"); });
    expect_refused({"'4MiBs'; it must be an integer, such as 4096, 4k or 4Ki"},
                   [&] { options.set_text("memory_limit", "4MiBs"); });
}

TEST(Options, ARefusedValueChangesNothing)
{
    Options options;
    options.set_int("threads", 2);
    expect_refused({"-1"}, [&] { options.set_int("threads", -1); });
    expect_refused({"deterministic|fewest"}, [&] { options.set_int("ties", 1); });
    expect_refused({"0.5"}, [&] { options.set_double("confidence", 1.0); });
    EXPECT_EQ(options.get_int("threads"), 2);
    EXPECT_FALSE(options.is_set("ties"));
}

TEST(Options, AnUnknownKeyIsToldWhichOneIsMeantAndWhichThereAre)
{
    Options options;
    for (const auto &[wrong, meant] :
         {std::pair("til", "'tile'?"), std::pair("memory", "'memory_limit'?"),
          std::pair("memory-limit", "'memory_limit'?"), std::pair("thraeds", "'threads'?"),
          std::pair("Plan", "'plan'?"), std::pair("zerocopy", "'zero_copy'?"), std::pair("tlie", "'tile'?"),
          std::pair("runon", "'run_on'?"), std::pair("tiles", "'tile'?")})
        expect_refused({text("did you mean ", meant)}, [&options, key = wrong] { options.set_text(key, "1"); });
    for (const auto *strange : {"", "q", "nonsense", "blocksize_of_the_whole_matrix_and_more_than_that"}) {
        expect_refused({text("'", strange, "' is unknown; options are method, ")},
                       [&] { options.set_text(strange, "1"); });
    }
}

TEST(Options, SizesAreRefusedWhenTheyAreSet)
{
    Options options;
    for (const auto *wrong : {"0x0x0", "4x4", "4x4x4x4", "4x4x", "x", "-1x4x4", "4,4,4", "4x4x99999999999999999999"})
        expect_refused({"it must be MBxNBxKB, 3 sizes above 0"}, [&] { options.set_text("tile", wrong); });
    EXPECT_FALSE(options.is_set("tile"));
    options.set_text("tile", "1x20x300");
    EXPECT_EQ(options.get_text("tile"), "1x20x300");
    options.set_text("tile", "");
}

TEST(Options, AForeignKeyFailsAtTheCall)
{
    Options options;
    options.set_text("dims", "n=5");
    EXPECT_NO_THROW(options.check_belongs(call_builtin));
    expect_refused({"'dims' does not belong to partition", "time_limit"},
                   [&] { options.check_belongs(call_partition); });
    // Only calls that read it list it.
    Options threads;
    threads.set_int("threads", 2);
    EXPECT_NO_THROW(threads.check_belongs(call_partition));
    for (const auto call : {call_front, call_schedule, call_gemm, call_factor, call_gemv})
        expect_refused({"'threads' does not belong"}, [&] { threads.check_belongs(call); });
}

TEST(Options, AFreeThatThrowsStopsNothing)
{
    hpart_options *options = nullptr;
    ASSERT_EQ(hpart_options_create(&options), HPART_SUCCESS);
    const auto quiet = [](double, const char *, void *) { return 0; };
    const auto throwing = [](void *) { throw 1; };
    ASSERT_EQ(hpart_options_set_progress(options, quiet, nullptr, throwing), HPART_SUCCESS);
    EXPECT_EQ(hpart_options_set_progress(options, quiet, nullptr, throwing), HPART_SUCCESS);
    hpart_options_destroy(options);
}

TEST(Control, TellsTwentyTimesASecondAndStopsWhenTheCallbackSaysSo)
{
    support::FakeClock clock;
    int calls = 0;
    Control control(std::make_shared<const ProgressCallback>([&](double, const char *) { return ++calls == 3; }), 1e300,
                    1);
    for (int k = 0; k < 100; ++k, clock.advance(0.001)) control.report_progress(0.5, "working");
    EXPECT_EQ(calls, 2);
    support::expect_error(Status::cancelled, {"working"}, [&] { control.report_progress(0.5, "working"); });
    EXPECT_FALSE(control.time_is_up());
}

TEST(Control, ItsTimeIsUpAtTheLimit)
{
    support::FakeClock clock;
    Options options;
    options.set_double("time_limit", 2);
    const auto control = Control::from(options), endless = Control::from(Options{});
    clock.advance(1.999);
    EXPECT_FALSE(control.time_is_up());
    clock.advance(0.001);
    EXPECT_TRUE(control.time_is_up());
    EXPECT_FALSE(endless.time_is_up());
    options.set_double("time_limit", 0);
    EXPECT_TRUE(Control::from(options).time_is_up());
}

TEST(Options, ACallHasDefaultsAndChoicesOfItsOwn)
{
    for (const auto &key : option_keys())
        for (const auto &own : key.differences) {
            EXPECT_EQ(own.calls & ~key.calls, 0U) << key.name;
            for (std::uint32_t calls = own.calls; calls != 0; calls &= calls - 1) {
                const auto in_call = key.in(calls & -calls);
                EXPECT_NE(std::tuple(in_call.default_text, in_call.choices, in_call.meaning),
                          std::tuple(key.default_text, key.choices, key.meaning))
                    << key.name;
                if (in_call.default_text == "none") continue;
                Options options; // takes the default
                options.set_text(key.name, in_call.default_text);
                options.check_belongs(static_cast<Call>(calls & -calls));
            }
        }
    Options options;
    EXPECT_EQ(options.get_double("precision"), 0.025);
    EXPECT_EQ(options.get_double("precision", call_measure), 0.025);
    EXPECT_EQ(options.get_double("precision", call_optimize), 0.05);
    EXPECT_EQ(options.get_text("statistic", call_optimize), "median");
    EXPECT_EQ(options.get_int("memory_limit", call_front), std::int64_t{1} << 30);
    EXPECT_EQ(options.find_int("memory_limit", call_gemm), std::nullopt);
    EXPECT_EQ(find_option_key("precision")->whole_meaning(),
              "relative half-width at which to stop; optimize (0.05): excess over the least value");
    options.set_text("statistic", "minimum");
    options.check_belongs(call_measure);
    support::expect_error(Status::invalid_argument,
                          {"'statistic' is 'minimum'; in compare it must be one of mean|median"},
                          [&] { options.check_belongs(call_compare); });
    support::expect_error(Status::invalid_argument, {"'statistic' is 'minimum'; in optimize it must be median"},
                          [&] { options.check_belongs(call_optimize); });
}

} // namespace
} // namespace hpart
