// Rows of power in a pipe, at the exact times of a fake clock.
#include "checks.hpp"
#include "core/child_process.hpp"
#include "energy/live_stream.hpp"
#include "energy/meter.hpp"
#include "support/fake_clock.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <thread>

#include <unistd.h>

namespace hpart
{
namespace
{

class Rows : public testing::Test
{
  protected:
    Rows() { open(); }
    void open(std::int64_t added_up = 1)
    {
        meter_.reset();
        Pipe pipe;
        input_ = std::move(pipe.write_end);
        Sensor sensor;
        sensor.traits = {"test", Quantity::watts, Method::integrated, 1, {{"wall", never_wraps}}};
        const RowFormat format{"\n",
                               "sent",
                               "is it on?",
                               [](std::string_view row) {
                                   if (row == "broken") fail(Status::device, "garbage");
                                   return parse_double(row);
                               },
                               [](std::int64_t) { return std::string("several sensors?"); },
                               "rows",
                               added_up};
        auto stream = std::make_unique<LiveStream>("test", std::move(pipe.read_end), 1, format,
                                                   [] { return std::string("it ended"); });
        stream_ = stream.get();
        sensor.stream = std::move(stream);
        meter_ = std::make_unique<Meter>(std::move(sensor));
    }

    void write(const std::string &rows)
    {
        ASSERT_EQ(::write(input_.get(), rows.data(), rows.size()), static_cast<ssize_t>(rows.size()));
    }
    // Returns when the stream has looked at the clock, for the time of the rows.
    void send(const std::string &rows)
    {
        const auto looks = clock_.looks();
        write(rows);
        while (clock_.looks() == looks) std::this_thread::yield();
    }
    // Throws it.
    void wait_for_failure() const
    {
        for (;; std::this_thread::yield()) stream_->check();
    }
    template <typename Action> void expect_failure(std::initializer_list<std::string_view> words, Action action)
    {
        send("5\n");
        meter_->start();
        action();
        while (meter_->report().find("failure") == nullptr) std::this_thread::yield();
        expect_error(Status::device, words, [&] { meter_->stop(); });
        EXPECT_EQ(meter_->report().find("failure"), nullptr);
        expect_error(Status::device, words, [&] { meter_->start(); });
    }

    support::FakeClock clock_;
    Descriptor input_;
    LiveStream *stream_ = nullptr;
    std::unique_ptr<Meter> meter_;
};

TEST_F(Rows, AreOnLinesAndTheLastIsHeld)
{
    send("100\n");
    meter_->start();
    clock_.advance(0.5);
    send("100\n");
    clock_.advance(0.5);
    send("300\n");
    clock_.advance(1);
    const auto measured = meter_->stop();
    EXPECT_DOUBLE_EQ(measured.joules, 100 * 0.5 + 200 * 0.5 + 300 * 1);
    EXPECT_NEAR(measured.seconds, 2, 1e-9);
    EXPECT_EQ(measured.missed, 0);
    meter_->start();
    clock_.advance(0.1);
    EXPECT_NEAR(meter_->stop().joules, 30, 1e-9) << "a window without a row";
}

// They came at one time: the line before goes to the first of them, and the last is held.
TEST_F(Rows, ThatComeTogether)
{
    send("100\n");
    meter_->start();
    clock_.advance(0.4);
    send("100\n7\n20\n");
    clock_.advance(0.4);
    EXPECT_NEAR(meter_->stop().joules, 100 * 0.4 + 20 * 0.4, 1e-9);
}

// Two sensors: two rows at once, or with some time between them, again and again.
TEST_F(Rows, OfSeveralSensorsAreRefused)
{
    const std::string words = "sent 2 rows at a time: several sensors?";
    const auto two_sensors = [&](double between) {
        for (int k = 0; k < 3; ++k) {
            if (between > 0) {
                send("300\n");
                clock_.advance(between);
                send("100\n");
            } else {
                send("300\n100\n");
            }
            clock_.advance(0.3 - between);
        }
    };
    for (const double between : {0.0, 0.02, 0.05}) {
        open();
        two_sensors(between);
        expect_error(Status::device, {words}, [&] { wait_for_failure(); });
    }
    open();
    for (int k = 0; k < 6; ++k) {
        send("300\n");
        clock_.advance(0.1);
        send("100\n");
        clock_.advance(0.2);
    }
    send("300\n");
    expect_error(Status::device, {words}, [&] { wait_for_failure(); });
}

// In turn, and read at once or in pieces: a value when the last of them has come.
TEST_F(Rows, OfSeveralSensorsAreAddedUp)
{
    open(3);
    send("200\n90\n10\n");
    meter_->start();
    for (int k = 0; k < 5; ++k) {
        clock_.advance(0.28);
        send(k % 2 == 0 ? "200\n90\n1" : "200\n");
        clock_.advance(0.02);
        send(k % 2 == 0 ? "0\n" : "90\n10\n");
    }
    const auto measured = meter_->stop();
    EXPECT_NEAR(measured.joules, 300 * measured.seconds, 1e-9);
    EXPECT_NEAR(measured.seconds, 1.5, 1e-9);
    open(2);
    for (int k = 0; k < 3; ++k) {
        send("200\n90\n10\n");
        clock_.advance(0.3);
    }
    expect_error(Status::device, {"sent 3 rows at a time"}, [&] { wait_for_failure(); });
}

TEST_F(Rows, OfManySensorsAreRefused)
{
    for (int k = 0; k < 3; ++k) {
        for (int sensor = 0; sensor < 8; ++sensor) {
            send("300\n");
            clock_.advance(0.015);
        }
        clock_.advance(0.18);
    }
    expect_error(Status::device, {"8 rows at a time"}, [&] { wait_for_failure(); });
}

// At any time up to the third group, or the seventh where the sensors are far apart, they may be several.
TEST(RowGroups, AreToldOrWaitedFor)
{
    struct Tool {
        double period, between;
        std::int64_t sensors;
    };
    for (const auto &[period, between, sensors] :
         {Tool{1, 0.02, 2}, {0.3, 0.1, 2}, {0.3, 0, 2}, {0.25, 0.09, 2}, {1, 0.2, 4}, {10, 0.02, 8}}) {
        RowGroups groups;
        std::int64_t found = 0;
        for (int group = 0; group < 8 && found == 0; ++group)
            for (std::int64_t sensor = 0; sensor < sensors && found == 0; ++sensor) {
                const double time = group * period + static_cast<double>(sensor) * between;
                groups.add(time, 1);
                found = groups.rows_at_a_time();
                const double last = time + (period - static_cast<double>(sensors - 1) * between) * 0.99;
                const bool is_open = found == 0 && sensor == sensors - 1;
                EXPECT_TRUE(!is_open || groups.may_be_groups(last)) << period << " " << group;
            }
        EXPECT_EQ(found, sensors) << period << " " << between;
        EXPECT_FALSE(groups.may_be_groups(10 * period));
    }
}

// One sensor on a machine that lets rows come late.
TEST(RowGroups, AreNoneOfOneSensor)
{
    auto random = support::seeded(21);
    std::uniform_real_distribution<double> part(0, 1);
    for (std::int64_t k = 0; k < support::how_many(); ++k) {
        const double late = k % 2 == 0 ? 0.1 : 0.5;
        RowGroups groups;
        for (int row = 0; row < 100; ++row) {
            groups.add(row + late * part(random), 1);
            ASSERT_EQ(groups.rows_at_a_time(), 0) << k;
            ASSERT_FALSE(late < 0.2 && groups.may_be_groups(row + 1 + late)) << k << " " << row;
        }
        EXPECT_FALSE(groups.may_be_groups(100)) << k;
    }
}

// A library that writes a block when it is full: the numbers of rows differ by a few.
TEST_F(Rows, ThatAreKeptBackAreRefused)
{
    for (const int count : {800, 790, 812}) {
        std::string rows;
        for (int k = 0; k < count; ++k) rows += "87.5\n";
        send(rows);
        clock_.advance(4);
    }
    expect_error(Status::device, {"rows at a time"}, [&] { wait_for_failure(); });
}

// A busy machine lets rows come late, and then together.
TEST_F(Rows, OfOneSensorMayComeLate)
{
    send("9\n");
    meter_->start();
    for (int k = 0; k < 400; ++k) {
        const bool is_late = k % 17 == 3 || k % 29 == 5;
        clock_.advance(is_late ? 0.25 : 0.1);
        send(is_late ? "9\n9\n" : "9\n");
        if (k % 40 == 7) {
            clock_.advance(0.004);
            send("9\n");
        }
        if (k % 100 == 9) { // stopped for some seconds
            clock_.advance(3);
            send(std::string(60, '\n') + "9\n9\n9\n9\n9\n9\n");
        }
    }
    for (int k = 0; k < 1000; ++k) {
        clock_.advance(k % 7 == 0 ? 0.006 : k % 11 == 0 ? 0.0004 : 0.002);
        send(k % 7 == 0 ? "9\n9\n9\n" : "9\n");
    }
    const auto measured = meter_->stop();
    EXPECT_NEAR(measured.joules, 9 * measured.seconds, 1e-6);
}

// So a command that would run for hours is not begun.
TEST_F(Rows, OfSeveralSensorsAreRefusedBeforeAWindow)
{
    send("300\n100\n");
    expect_error(Status::device, {"2 rows at a time"}, [&] {
        stream_->wait_for_first_row([&] {
            clock_.advance(0.25);
            send("300\n100\n");
        });
    });
    open();
    send("300\n100\n"); // its beginning
    stream_->wait_for_first_row([&] {
        clock_.advance(0.5);
        send("400\n");
    });
    open();
    send("300\n100\n");
    stream_->wait_for_first_row([] {}); // nothing comes for the longest silence
}

TEST_F(Rows, OfAFloodAreFewReadings)
{
    send("5\n");
    meter_->start();
    std::string rows;
    for (int k = 0; k < 5000; ++k) rows += "5\n";
    send(rows);
    clock_.advance(1);
    const auto measured = meter_->stop();
    EXPECT_DOUBLE_EQ(measured.joules, 5);
    EXPECT_LT(measured.readings, 100);
}

TEST_F(Rows, ThatAreMissedAreCounted)
{
    send("150\n");
    meter_->start();
    for (const double pause : {1, 3, 1}) {
        clock_.advance(pause);
        send("150\n");
    }
    const auto measured = meter_->stop();
    EXPECT_EQ(measured.missed, 2);
    EXPECT_DOUBLE_EQ(measured.joules, 750);
}

TEST_F(Rows, ThatStayAwayFailTheWindowAndTheNext)
{
    send("150\n");
    meter_->start();
    clock_.advance(5);
    meter_->check();
    clock_.advance(0.1);
    expect_error(Status::device, {"sent no power for 5.1 s", "is it on?"}, [&] { meter_->check(); });
    expect_error(Status::device, {"sent no power"}, [&] { meter_->stop(); });
    expect_error(Status::device, {"sent no power"}, [&] { meter_->start(); });
    send("150\n");
    expect_error(Status::device, {"sent no power"}, [&] { meter_->measure_base_power(3600); });
}

// A window that went wrong is not the next one's business.
TEST_F(Rows, ThatComeBackFailTheirWindowAlone)
{
    send("9\n");
    meter_->start();
    clock_.advance(6);
    send("9\n");
    expect_error(Status::device, {"no power for 6 s", "while it measured"}, [&] { meter_->stop(); });
    meter_->start();
    clock_.advance(1);
    EXPECT_DOUBLE_EQ(meter_->stop().joules, 9);
}

// It takes no more rows.
TEST_F(Rows, OfAWindowThatIsLeft)
{
    send("9\n");
    int looks = 0;
    expect_error(Status::cancelled, {"enough"}, [&] {
        meter_->measure_base_power(100, [&] {
            if (++looks == 3) fail(Status::cancelled, "enough");
        });
    });
    EXPECT_EQ(looks, 3);
    meter_->start();
    send("9\n");
    clock_.advance(1);
    EXPECT_DOUBLE_EQ(meter_->stop().joules, 9);
}

TEST_F(Rows, OfWhichNoneComes)
{
    int looks = 0;
    expect_error(Status::device, {"sent no power within 5 s", "is it on?"},
                 [&] { stream_->wait_for_first_row([&] { ++looks; }); });
    EXPECT_EQ(looks, 100) << "every 50 ms";
    expect_error(Status::cancelled, {"enough"},
                 [&] { stream_->wait_for_first_row([] { fail(Status::cancelled, "enough"); }); });
}

TEST_F(Rows, End)
{
    expect_failure({"it ended"}, [&] { input_ = Descriptor(); });
}

TEST_F(Rows, AreBroken)
{
    expect_failure({"garbage"}, [&] { write("\n \nbroken\n"); });
}

TEST_F(Rows, DoNotEnd)
{
    expect_failure({"without the end of a row"}, [&] { write(std::string(5000, '5')); });
}

} // namespace
} // namespace hpart
