"""Wrong calls end with 2 and one line that names the argument; failures of the machine end with 1."""

import os
import pathlib
import resource
import subprocess
import unittest

from command import COMMAND, CORES, EXAMPLE, FRONT, CommandTest

FULL = pathlib.Path("/dev/full")

BAD_CALLS = """
bogus ==> 'bogus'
parition ==> 'parition' is not a subcommand; did you mean 'partition'?
profile --processor './app a {size}' --sizes 4 -o p.csv ==> which has no name; give NAME=COMMAND, as 'A=./app a {size}'
profile --processor 'B=./app' --processor './app a' --sizes 4 -o p.csv ==> --processor is './app a', which has no name
tune --processor A=./app{size} --sizes 4 --size 4 -o p.csv --budget 5 s ==> 's' is not expected; a unit follows its number without a blank, as 5s
profile --processor A=./app a {size} --sizes 4 -o p.csv ==> 'a' is not expected; a command with blanks stands in quotes, as --processor 'A=./app {size}'
profile --kernel dgemm --processor cpu:0 --sizes 4 -o p.csv ==> --dims of dgemm are missing; give 'n=512,k=512'
help parteo ==> did you mean 'pareto'?
help info more ==> 'more'
options everything ==> 'everything'
options tunes ==> did you mean 'tune'?
--bogus ==> --bogus
'' ==> ''
info extra ==> extra
info --format yaml ==> --format is 'yaml'
partition $EXAMPLE ==> --size
partition --size 4 ==> FILE
partition --size ==> --size needs a value; see hpart partition --help
partition --size 4 $EXAMPLE --objective time --objective ==> --objective needs a value
partition --siz 4 $EXAMPLE ==> '--siz' is not an option, but --size is; see hpart partition --help
partition --size 4 $EXAMPLE -x ==> '-x' is not an option
partition --size 4 $EXAMPLE $EXAMPLE ==> hpopta-fig-3.10.csv' is not expected
partition --size 4 $EXAMPLE --objective time --objective time ==> --objective is given twice
partition --size 4 $EXAMPLE --objective tiem ==> --objective is 'tiem'; did you mean 'time'?
partition --size 4 $EXAMPLE --objective '' ==> --objective
partition --size 4 $EXAMPLE --method exat ==> did you mean 'exact'?
partition --size 4 $EXAMPLE --method '' ==> method is ''
partition --size 4 $EXAMPLE --method equal --option method=cpm ==> --method and --option method are the same
partition --size 9223372036854775807 $EXAMPLE ==> a whole number, 0 or more and at most 9.2e18
partition --size 9007199254740993Ki $EXAMPLE ==> --size
partition --size 4Q $EXAMPLE ==> '4Q'
partition --size 4:2:1 $EXAMPLE ==> '4:2:1'
partition --size -1 $EXAMPLE ==> '-1'
partition --size 1e3 $EXAMPLE ==> '1e3'
partition --size 4 $EXAMPLE --previous 1,,2 ==> '1,,2'
partition --size 4 $EXAMPLE -o a.svg ==> hpart plot
partition --size 4 $EXAMPLE -o a.csv ==> 'a.csv' ends in .csv, but -o writes the JSON object; end its name in .json
partition --size 4 $EXAMPLE --option block=4 --option block=2 ==> --option block is given twice
partition --size 4 $EXAMPLE --option threads ==> it must be KEY=VALUE
partition --size 4 $EXAMPLE --option precision=0.1 ==> 'precision'
partition --size 4 $EXAMPLE --deadline -1 ==> --deadline is -1; it must be a number of at least 0
partition --size 4 $EXAMPLE --deadline 5 ==> hpart: --deadline needs objective energy, total-energy or sum-time
partition --size 4 $EXAMPLE --option slowdown=2 ==> option 'slowdown' needs objective energy, total-energy or sum-time
partition --size 4 $FRONT --objective energy --energy-budget 5 ==> --energy-budget needs objective time
partition --size 4 $EXAMPLE --base-power nan ==> --base-power
partition --size 4 missing.csv ==> 'missing.csv'
partition --size 4 --objective energy --deadline 5 "the option 'deadline'" ==> cannot read 'the option 'deadline'
partition --size 4 . ==> '.'
pareto --size 4 $FRONT --option bogus=1 ==> option 'bogus' is unknown; hpart options pareto lists its options
pareto --size 4 $FRONT --energy all ==> --energy is 'all'
shape ==> FILE
shape missing.csv ==> 'missing.csv'
slice --parameter 4 family.csv -o s.png ==> -o writes a platform file
plot $EXAMPLE ==> --output
plot $EXAMPLE -o out.gif ==> 'out.gif'
plot $EXAMPLE -o .svg ==> '.svg'
plot missing.csv -o out.svg ==> 'missing.csv'
profile --kernel dgemm --sizes 64 ==> --output
profile --sizes 64 -o p.csv ==> --kernel is required
profile --kernel sort --sizes 64 -o p.csv --processor cpu:0 ==> 'sort'
profile --kernel dgemm --dims 8,8 --sizes 64 -o p.csv ==> --dims is '8,8'
profile --kernel dgemm --sizes 4 -o p.csv --option interval=1 ==> 'interval' does not belong to a call without --meter
profile --kernel dgemm --dims n=8,k=8 --sizes 4 --processor cpu:0 -o /dev/null ==> --output '/dev/null' is no regular file, which a profile reads again
profile --kernel dgemm --sizes 4 -o p.csv --option checkpoint_file=q.csv ==> -o and --option checkpoint_file are the same
profile --kernel dgemm --sizes 4 -o p.json ==> 'p.json' ends in .json, but -o writes a platform file
profile --kernel dgemm --sizes 4 -o - ==> '-' must be the name of a file
profile --kernel dgemm --sizes 0:10:1 -o p.csv ==> '0'
profile --kernel dgemm --sizes 1:10 -o p.csv ==> '1:10'
profile --kernel dgemm --sizes 64,64 -o p.csv ==> twice
profile --kernel dgemm --sizes 4 -o p.csv --budget 5x ==> --budget is '5x'
profile --kernel dgemm --dims 8x8 --sizes 64 -o p.csv --processor abacus:1 ==> abacus
profile --processor cpu:0 --processor 'A=echo {size}' --sizes 1 -o p.csv ==> 'cpu:0'
profile --kernel dgemm --processor 'A=echo {size}' --sizes 1 -o p.csv ==> --kernel
profile --processor A=echo --sizes 1 -o p.csv ==> has no {size}
profile --kernel dgemm --protocol lines --sizes 1 -o p.csv ==> belong to programs
profile --processor '=echo {size}' --sizes 1 -o p.csv ==> name is ''
profile --processor 'A=echo {size}' --processor 'A=echo {size}' --sizes 1 -o p.csv ==> already
profile --processor A=lib:./libnone.so:run --sizes 4 -o q.csv ==> libnone.so
group --kernel dgemm --dims 8x8 --size 64 --option deadline=1 ==> option 'deadline' does not belong to hpart group; hpart options group lists its options
group --kernel dgemm --dims 8x8 --size 8 --objective energy ==> --meter
group --kernel dgemm --dims 8x8 --size 8 --objective speed ==> 'speed'
group --kernel dgemm --dims 8x8 --size 8 --base-power 58 ==> --base-power is given without --meter
group --kernel dgemm --dims 8x8 --size 0 ==> --size is 0
group --kernel dgemm --dims 8x8 --size 8 --grouping pair ==> 'pair'
group --kernel dgemm --dims 8x8 --size 8 --points 0 ==> --points is '0'
group --kernel dgemv --dims n=8 --size 9223372036854775806 --points 9223372036854775807 ==> --points
run $EXAMPLE ==> --size
run --size 0 $EXAMPLE ==> --size
run --size 4 --kernel dgemm $EXAMPLE ==> kernel
run --size 4 missing.csv ==> 'missing.csv'
tune --sizes 1:4:1 --size 4 -o t.csv ==> --kernel is required
tune --kernel dgemm --sizes 4 --size 4 -o t.csv --option presicion=0.1 ==> option 'presicion' is unknown; did you mean 'precision'?
tune --kernel dgemm --sizes 4 --size 0 -o t.csv ==> --size
tune --kernel dgemm --sizes 4 --size 4 -o t.json ==> -o writes a platform file
tune --kernel dgemm --sizes 4 --size 4 -o t.csv --objective joules ==> --objective is 'joules'
tune --kernel dgemm --sizes 4 --size 4 -o t.csv --objective front ==> --objective front needs --meter
tune --kernel dgemm --sizes 4 --size 4 -o t.csv --energy total ==> --energy belongs to --objective front
tune --kernel dgemm --sizes 4 --size 4 -o t.csv --meter estimate:12 ==> --meter belongs to --objective energy, total-energy and front
tune --kernel dgemm --dims 8x8 --processor cpu:0 --sizes 4 --size 4 -o t.csv --precision 2 ==> precision
study --sizes 8 ==> FILE
study $EXAMPLE ==> --sizes is required
study --sizes 4 $EXAMPLE -o '' ==> -o is ''
study --sizes 8 -o '' $EXAMPLE ==> -o is ''
study --sizes 8 --speed-sizes 4,x $EXAMPLE ==> --speed-sizes is '4,x'
study --sizes 8 --speed-sizes 4 --option speed_size=4 $EXAMPLE ==> --speed-sizes and --option speed_size
study --sizes 8 --option method=equal $EXAMPLE ==> option 'method' does not belong to hpart study
study --sizes 8 --budget 1m $EXAMPLE ==> --budget belongs to --run
study --sizes 8 --meter estimate:12 $EXAMPLE ==> --meter belongs to --run
study --sizes 8 --processor a=b $EXAMPLE ==> belongs to --run
study --sizes 8 --run $EXAMPLE ==> does not say what kernel
gemm --m 4 --n 4 ==> --k
gemm --m 0 --n 4 --k 4 ==> --m is '0'
gemm --m 4611686018427387904 --n 4 --k 4 ==> A has 4611686018427387904 x 4
gemm $SIZES --option til=4x4x4 ==> did you mean 'tile'?
gemm $SIZES --option panel_width=4 ==> 'panel_width' does not belong to hpart gemm
gemm $SIZES --device cpu:0 ==> 'cpu:0'
gemm $SIZES --precision q ==> --precision is 'q'
gemm $SIZES --trans NX ==> --trans is 'NX'
gemm $SIZES --alpha nan ==> --alpha is 'nan'
gemm $SIZES --memory-limit 0 ==> --memory-limit is '0'
gemm $SIZES --memory-limit 90000 --option memory_limit=80000 ==> --memory-limit and --option memory_limit are the same
gemm $SIZES --repetitions 0 ==> --repetitions is '0'
gemm --bogus ==> see hpart gemm --help
fft ==> --dims
fft --dims 8,8 ==> --dims is '8,8'
fft --dims 8xx16 ==> as in 8x16
fft --dims 0x8 ==> --dims is '0'
fft --dims 8 --precision z ==> --precision
factor --n 4 ==> --kind
factor --n 4 --kind svd ==> --kind is 'svd'
energy -- true ==> --meter
energy --meter estimate:1 -- ==> after --
energy --meter estimate:1 sleep 1 ==> the command stands after --, as in hpart energy --meter rapl -- sleep 1; see hpart energy --help
energy --meter foo -- true ==> --meter is 'foo'; a meter is one of
energy --meter estimate:1 --base-power measur -- true ==> or measure
energy --meter estimate:1 --base-power -1 -- true ==> --base-power is '-1'
energy --meter estimate:1 --base-seconds 3 -- true ==> --base-seconds
energy --meter estimate:1 --base-power measure --base-seconds 0 -- true ==> --base-seconds
measure ==> after --, as in hpart measure
measure -- echo {size} ==> --size
measure --size 4 -- echo ==> --size
measure --time-pattern ( -- echo ==> --time-pattern is '('
measure --time-from stdin -- echo ==> --time-from is 'stdin'
measure --time-unit y -- echo ==> --time-unit is 'y'
measure --protocol words -- echo ==> --protocol is 'words'
profile --application "a {x}" --processors A,B --protocol lines --sizes 1,2 -o p.csv ==> but 'protocol' is 'lines'
measure --protocol lines --size 4 -- cat {size} ==> {size}
measure --timeout -1 -- echo ==> --timeout
"""


class BadCalls(CommandTest):
    def test_an_option_given_twice(self):
        self.assert_fails(2, "measure", "--precision", "0.1", "--option", "precision=0.01", "--", "true", says="--precision and --option precision")
        self.assert_fails(2, "measure", "--precision", "nan", "--", "true", says="--precision is")
        for power in ("5", "measure"):
            self.assert_fails(2, "energy", "--meter", "estimate:50", "--base-power", power, "--option", "base_power=7", "--", "true",
                              says="--base-power and --option base_power are the same; give only one of them")
        meter = ["--meter", "estimate:1", "--base-power", "3", "--option", "base_power=4"]
        team = ["--processor", "A=true {size}", "--sizes", "1,2", "-o", "p.csv"]
        for call in (["measure"], ["profile", *team], ["tune", *team, "--size", "2", "--objective", "energy"], ["additivity", *team[:4]],
                     ["run", "--size", "4", EXAMPLE], ["group", "--size", "4", "--kernel", "dgemm", "--dims", "n=8,k=8"],
                     ["study", "--sizes", "4", "--run", EXAMPLE]):
            command = ["--", "true"] if call == ["measure"] else []
            self.assert_fails(2, *call, *meter, *command, says="--base-power and --option base_power are the same; give only one of them")

    def test_every_bad_call_is_refused(self):
        nothing = self.run_command()
        self.assertEqual((nothing.returncode, nothing.stdout), (2, b""))
        self.assertTrue(nothing.stderr.endswith(b"hpart: a subcommand is needed\n") and b"  partition  " in nothing.stderr, nothing.stderr)
        self.assert_refused(BAD_CALLS, EXAMPLE=EXAMPLE, FRONT=FRONT, SIZES="--m 4 --n 4 --k 4")

    def test_run_refuses_another_kernel_or_other_dims(self):
        path = self.write("p.csv", "# kernel = dgemm n=64 k=64\nprocessor,size,time\ncpu:0,4,1\n")
        self.write("strange.csv", "# kernel = dgemm n=64 k=64\nprocessor,size,time\nmy GPU,4,1\n")
        self.assert_refused("""
            run --size 4 p.csv --kernel zfft ==> --kernel is 'zfft'
            run --size 4 p.csv --dims n=64,k=32 ==> n=64,k=32
            run --size 4 p.csv --dims n=64 ==> --dims
            run --size 5 p.csv --option deadline=1 ==> option 'deadline' does not belong to hpart run
            run --size 4 strange.csv ==> my GPU""")
        self.assert_fails(3, "run", "--size", "5", path, says="the nearest feasible sizes are 4 below and none above")
        self.assert_fails(2, "run", "--size", "4", "-", stdin=b"processor,size,time\ncpu:0,4,1\n", says="hpart: standard input does not say")

    def test_a_file_with_the_name_of_an_option_keeps_it(self):
        for name in ("option 'deadline'", "deadline"):
            self.write(name, "processor,size,time\na,1,nan\n")
            self.assert_fails(2, "partition", "--size", "4", "--objective", "energy", "--deadline", "5", name, says=f"hpart: {name}:2:5: ")

    @unittest.skipIf(os.geteuid() == 0, "root reads every file")
    def test_an_unreadable_file(self):
        path = self.write("p.csv", EXAMPLE.read_bytes())
        path.chmod(0)
        self.assert_fails(2, "partition", "--size", "4", path, says=[str(path), "denied"])


class Infeasible(CommandTest):
    def test_the_nearest_sizes_are_named(self):
        self.write("gaps.csv", "processor,size,time,energy\na,10,1,1\na,25,2,1\nb,10,1,1\n")
        self.write("idle.csv", "# processors = a,b\nprocessor,size,time\na,10,1\n")
        self.assert_refused("""
            partition --size 22 gaps.csv ==> 20 below and 25 above; option interpolate=linear allows size 22
            partition --size 40 gaps.csv --format json ==> 35
            partition --size 20 gaps.csv --option max_active=1 ==> has at most 1 active processor, max_active; the fewest are 2
            partition --size 10 idle.csv --option idle_processors=forbidden ==> processor 'b' has no time
            schedule --size 13 gaps.csv ==> 13
            pareto --size 11 gaps.csv ==> 10""", status=3)


class RefusedByTheMachine(CommandTest):
    @unittest.skipUnless(FULL.exists(), "there is no /dev/full")
    def test_a_full_disk(self):
        for call in (["--help"], ["partition", "--help"], ["partition", "--size", "4", EXAMPLE], ["study", "--sizes", "4", EXAMPLE]):
            with self.subTest(call=call), FULL.open("wb") as full:
                self.assert_fails(1, *call, stdout=full, says="No space left")
        made = self.run_command("partition", "--size", "4", EXAMPLE, "-o", FULL)
        self.assertEqual((made.returncode, b"'/dev/full'" in made.stderr, b"size 4, least time" in made.stdout), (1, True, True), "the result is not lost")

    def test_a_reader_that_has_gone(self):
        reading, writing = os.pipe()
        os.close(reading)
        self.addCleanup(os.close, writing)
        self.assert_fails(1, "partition", "--size", "4", EXAMPLE, stdout=writing, says="Broken pipe")

    def test_closed_descriptors(self):
        for script, status, says in (('"$0" partition --size 4 "$1" >&-', 1, b"standard output"),
                                     ('"$0" partition --size 4 - <&-', 2, b"cannot read the standard input: it is closed")):
            result = subprocess.run(["sh", "-c", script, COMMAND, str(EXAMPLE)], capture_output=True, check=False)
            self.assertEqual((result.returncode, result.stdout, result.stderr.count(b"\n")), (status, b"", 1))
            self.assertIn(says, result.stderr)

    def test_results_that_cannot_be_written(self):
        self.write("file", "")
        self.assert_refused("""
            partition --size 4 $EXAMPLE -o no/such/r.json ==> 'no/such/r.json'
            partition --size 4 $EXAMPLE -o . ==> '.'
            plot $EXAMPLE -o no/such/r.svg ==> 'no/such/r.svg'
            profile --kernel dgemm --dims 8x8 --sizes 8 --processor cpu:$CORE -o no/such/p.csv ==> no/such/p.csv
            study --sizes 8 $EXAMPLE -o no/such ==> 'no/such'
            study --sizes 8 $EXAMPLE -o file ==> cannot make the folder""", status=1, EXAMPLE=EXAMPLE, CORE=CORES[0])

    def test_sizes_that_wrap(self):
        n = 2**63 - 1
        path = self.write("p.csv", f"# kernel = zfft n={n}\nprocessor,size,time\ncpu:0,1,1\n")
        self.assert_fails(1, "run", "--size", "1", path, says="memory")
        call = ["--kernel", "dgemm", "--dims", f"n={n},k={n}"]
        self.assert_fails(1, "group", *call, "--size", "1", "--grouping", "node", says="memory")
        self.assert_fails(1, "profile", *call, "--sizes", "1", "--processor", "cpu:0", "-o", "new.csv", says="memory")

    def test_more_than_the_machine_has(self):
        self.assert_refused("""
            gemm --m 10000000000000 --n 4 --k 4 ==> A 320000000000000
            fft --dims 1000000x1000000 ==> the spectrum 16000000000000
            factor --kind lu --n 10000000 ==> the matrix 800000000000000""", status=1)

    def test_a_small_address_space(self):
        def gemm_within(megabytes, timeout=60, **environment):
            limit = megabytes << 20
            return subprocess.run([COMMAND, "gemm", "--m", "30", "--n", "30", "--k", "30"], capture_output=True, timeout=timeout,
                                  env={**os.environ, **environment}, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))

        # From too little for OpenBLAS's threads to enough for all. With less, OpenBLAS 0.3.29 does not return from its start.
        done = 0
        for megabytes in range(400, 1000, 60):
            ended = gemm_within(megabytes)
            done += ended.returncode == 0
            self.assertIn(ended.returncode, (0, 1), ended.stderr)
        self.assertTrue(done > 0 or os.cpu_count() > 4)
        # One thread lets OpenBLAS start with less, but for 0.3.29.
        refused, hangs = [], 0
        for megabytes in range(160, 400, 40):
            try:
                refused.append(gemm_within(megabytes, timeout=8 if hangs else 20, OPENBLAS_NUM_THREADS="1"))
            except subprocess.TimeoutExpired:
                hangs += 1
        self.assertTrue(hangs or any(ended.returncode == 1 and b"OpenBLAS needs" in ended.stderr for ended in refused), refused)

    def test_no_gnuplot(self):
        self.assert_fails(1, "plot", EXAMPLE, "-o", "out.svg", environment={"PATH": str(self.folder)}, says=["gnuplot", "PATH"])
        self.write("gnuplot", "#!/bin/sh\necho 'out of ink' >&2\nexit 3\n").chmod(0o755)
        environment = {"PATH": f"{self.folder}:{os.environ['PATH']}"}
        self.assert_fails(1, "plot", EXAMPLE, "-o", "out.svg", environment=environment, says="out of ink")
        self.assertFalse((self.folder / "out.svg").exists())
