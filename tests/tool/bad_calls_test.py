"""Wrong calls end with 2 and one line that says what is wrong; what the machine refuses ends with 1."""

import os
import pathlib
import resource
import subprocess
import unittest

from command import COMMAND, DATA, CommandTest

EXAMPLE = DATA / "hpopta-fig-3.10.csv"
FRONT = DATA / "hepopta-fig-5.1.csv"
FULL = pathlib.Path("/dev/full")

# arguments, texts of the message
BAD_CALLS = [
    ([], "subcommand"),
    (["bogus"], "'bogus'"),
    (["parition"], "'parition' is not a subcommand; did you mean 'partition'?"),
    (["help", "parteo"], "'parteo' is not a subcommand; did you mean 'pareto'?"),
    (["help", "info", "more"], "'more'"),
    (["options", "everything"], ["'everything'", "partition", "optimize", "tune"]),
    (["options", "tunes"], "did you mean 'tune'?"),
    (["options", "info"], "CALL is 'info'"),
    (["tune", "--kernel", "dgemm", "--sizes", "4", "--size", "4", "-o", "t.csv", "--option", "presicion=0.1"],
     "option 'presicion' is unknown; did you mean 'precision'? The options of hpart tune are statistic, "),
    (["pareto", "--size", "4", FRONT, "--option", "bogus=1"], "option 'bogus' is unknown; the options of hpart pareto are method, "),
    (["profile", "--kernel", "dgemm", "--sizes", "4", "-o", "p.csv", "--option", "interval=1"], "'interval' does not belong to a call without --meter"),
    (["--bogus"], "--bogus"),
    ([""], "''"),
    (["Partition"], "'Partition'"),
    (["partition"], "FILE"),
    (["partition", EXAMPLE], "--size"),
    (["partition", "--size", "4"], "FILE"),
    (["partition", "--size"], "--size needs a value; see hpart partition --help"),
    (["partition", "--siz", "4", EXAMPLE], "'--siz' is not an option, but --size is; see hpart partition --help"),
    (["partition", "--metod=exact", "--size", "4", EXAMPLE], "'--metod=exact' is not an option, but --method is; see"),
    (["partition", "--size", "4", EXAMPLE, "--objective", "tiem"], "--objective is 'tiem'; did you mean 'time'? It must be one of time, energy"),
    (["partition", "--size", "4", EXAMPLE, "--method", "exat"], "did you mean 'exact'? Partition by time has the methods"),
    (["partition", "--size", "9223372036854775807", EXAMPLE], "from 0 to 9223372036854775806"),
    (["partition", "--size", "4", EXAMPLE, "-o", "a.svg"], ["hpart plot", "'a.svg'"]),
    (["partition", "--size", "4", EXAMPLE, "--option", "block=4", "--option", "block=2"], "--option block is given twice"),
    (["partition", "--size", "4", EXAMPLE, "--method", "equal", "--option", "method=cpm"], "--method and --option method are the same"),
    (["partition", "--size", "4", EXAMPLE, "--deadline", "-1"], "--deadline is -1; it must be a number of at least 0"),
    (["partition", "--size", "4", EXAMPLE, "--deadline", "5"], "hpart: --deadline needs --objective energy or total-energy\n"),
    (["partition", "--size", "4", EXAMPLE, "--option", "slowdown=2"], "option 'slowdown' needs --objective energy or total-energy"),
    (["partition", "--size", "4", FRONT, "--objective", "energy", "--energy-budget", "5"], "--energy-budget needs --objective time"),
    (["partition", "--size", "4", EXAMPLE, "--option", "max_moved=1"], "there is no previous distribution to move work from"),
    (["partition", "--size", "4", EXAMPLE, "--option", "block=1Kx"], "option 'block' is '1Kx'"),
    (["gemm", "--m", "4", "--n", "4", "--k", "4", "--option", "queues=2"], "option 'queues' is '2'; it must be one of 1|3"),
    (["energy", "--meter", "foo", "--", "true"], "--meter is 'foo'; a meter is one of"),
    (["gemm", "--m", "4", "--n", "4", "--k", "4", "--device", "opencl:99:0"], "opencl:99:0"),
    (["gemm", "--m", "4", "--n", "4", "--k", "4", "--device", "cuda:99"], "CUDA"),
    (["partition", "-x"], "'-x' is not an option"),
    (["partition", "--size", "4", EXAMPLE, EXAMPLE], ["hpopta-fig-3.10.csv' is not expected; see hpart partition --help"]),
    (["partition", "--size", "4", EXAMPLE, "--bogus"], "'--bogus' is not an option; see hpart partition --help"),
    (["partition", "--size", "4", "--energy", "total", EXAMPLE], "'--energy' is not an option"),
    (["partition", "--size", "4", EXAMPLE, "-x"], "'-x' is not an option"),
    (["partition", "--size", "4", EXAMPLE, "--objective", "time", "--objective", "time"],
     "--objective is given twice; see hpart partition --help"),
    (["partition", "--size", "4,", EXAMPLE], ["--size", "'4,'"]),
    (["partition", "--size", "4", "--size", "4:2:1", EXAMPLE], ["--size", "'4:2:1'"]),
    (["partition", "--size", "4Q", EXAMPLE], ["--size", "'4Q'", "4Ki"]),
    (["partition", "--size", "k", EXAMPLE], ["--size", "'k'"]),
    (["partition", "--size", "9007199254740993Ki", EXAMPLE], ["--size", "'9007199254740993Ki'"]),
    (["partition", "--size", "4", EXAMPLE, "--previous", ",,"], ["--previous", "',,'"]),
    (["partition", "--size", "4", EXAMPLE, "--previous", "1,,2"], ["--previous", "'1,,2'"]),
    (["partition", "--size", "4", EXAMPLE, "--previous", ""], "--previous"),
    (["partition", "--size", "four", EXAMPLE], ["--size", "'four'"]),
    (["partition", "--size", "", EXAMPLE], ["--size", "''"]),
    (["partition", "--size", " 4", EXAMPLE], ["--size", "' 4'"]),
    (["partition", "--size", "-1", EXAMPLE], ["--size", "'-1'"]),
    (["partition", "--size", "4.0", EXAMPLE], ["--size", "'4.0'"]),
    (["partition", "--size", "1e3", EXAMPLE], ["--size", "'1e3'"]),
    (["partition", "--size", "0x10", EXAMPLE], ["--size", "'0x10'"]),
    (["partition", "--size", "nan", EXAMPLE], ["--size", "'nan'"]),
    (["partition", "--size", "9223372036854775808", EXAMPLE], ["--size", "'9223372036854775808'"]),
    (["partition", "--size", "4\nhpart: all is well", EXAMPLE], ["--size", "all is well"]),
    (["partition", "--size", "4", EXAMPLE, "--objective", "beauty"], ["--objective", "'beauty'"]),
    (["partition", "--size", "4", EXAMPLE, "--objective", ""], "--objective"),
    (["partition", "--size", "4", EXAMPLE, "--method", "magic"], "'magic'"),
    (["partition", "--size", "4", EXAMPLE, "--method", ""], "method is ''"),
    (["partition", "--size", "4", EXAMPLE, "--option", "method="], "method is ''"),
    (["partition", "--size", "4", EXAMPLE, "--format", "xml"], ["--format", "'xml'"]),
    (["partition", "--size", "4", EXAMPLE, "--base-power", "lots"], ["--base-power", "'lots'"]),
    (["partition", "--size", "4", EXAMPLE, "--base-power", "-1"], ["--base-power", "'-1'"]),
    (["partition", "--size", "4", EXAMPLE, "--base-power", "nan"], ["--base-power", "'nan'"]),
    (["partition", "--size", "4", EXAMPLE, "--base-power", "inf"], ["--base-power", "'inf'"]),
    (["partition", "--size", "4", EXAMPLE, "--objective", "total-energy"], "base power"),
    (["partition", "--size", "4", EXAMPLE, "--option", "threads"], ["--option", "'threads'"]),
    (["partition", "--size", "4", EXAMPLE, "--option", "=2"], ["--option", "'=2'"]),
    (["partition", "--size", "4", EXAMPLE, "--option", "bogus=2"], "'bogus'"),
    (["partition", "--size", "4", EXAMPLE, "--option", "threads=two"], ["threads", "'two'"]),
    (["partition", "--size", "4", EXAMPLE, "--option", "threads=-1"], ["threads", "-1"]),
    (["partition", "--size", "4", EXAMPLE, "--option", "time_limit=nan"], ["time_limit", "NaN"]),
    (["partition", "--size", "4", EXAMPLE, "--option", "precision=0.1"], "'precision'"),
    (["partition", "--size", "4", "missing.csv"], "'missing.csv'"),
    (["partition", "--size", "4", "."], "'.'"),
    (["partition", "--size", "4", ""], "''"),
    (["partition", "--size", "4", "missing\nfile"], "missing"),
    (["pareto", "--size", "4", FRONT, "--energy", "all"], ["--energy", "'all'"]),
    (["pareto", "--size", "4", FRONT, "--energy", "total"], "base power"),
    (["pareto", "--size", "4", FRONT, "--method", "magic"], "'magic'"),
    (["pareto", "--size", "-4", FRONT], ["--size", "'-4'"]),
    (["schedule", "--size", "many", EXAMPLE], ["--size", "'many'"]),
    (["schedule", "--size", "4", EXAMPLE, "--method", "magic"], "'magic'"),
    (["gemm", "--m", "4", "--n", "4", "--k", "4", "--device", "cpu:0"], ["'cpu:0'", "'host'"]),
    (["plot", EXAMPLE], "--output"),
    (["plot", EXAMPLE, "-o", "out.pdf"], "'out.pdf'"),
    (["plot", EXAMPLE, "-o", "svg"], ["'svg'", "the format of the drawing"]),
    (["plot", EXAMPLE, "-o", ".svg"], "'.svg'"),
    (["plot", "missing.csv", "-o", "out.svg"], "'missing.csv'"),
    (["plot", ".", "-o", "out.svg"], "'.'"),
    (["profile", "--kernel", "dgemm", "--sizes", "64"], "--output"),
    (["profile", "--sizes", "64", "-o", "p.csv"], "--kernel"),
    (["profile", "--kernel", "sort", "--sizes", "64", "-o", "p.csv", "--processor", "cpu:0"], "'sort'"),
    (["profile", "--kernel", "dgemm", "--dims", "n", "--sizes", "64", "-o", "p.csv"], ["--dims", "'n'"]),
    (["profile", "--kernel", "dgemm", "--dims", "8,8", "--sizes", "64", "-o", "p.csv"], ["--dims is '8,8'", "joined by x"]),
    (["fft", "--dims", "8,8"], ["--dims is '8,8'", "as in 8x8"]),
    (["profile", "--kernel", "dgemm", "--dims", "n=8", "--sizes", "64", "-o", "p.csv", "--processor", "cpu:0"], ["--dims of dgemm", "k is missing"]),
    (["profile", "--kernel", "dgemm", "--sizes", "64", "-o", "p.csv", "--processor", "cpu:0"], ["--dims of dgemm", "n is missing"]),
    (["profile", "--kernel", "dgemm", "--dims", "n=512,", "--sizes", "64", "-o", "p.csv"], "--dims"),
    (["profile", "--kernel", "dgemm", "--dims", "n=0,k=1", "--sizes", "64", "-o", "p.csv"], ["--dims", "'n' is 0"]),
    (["profile", "--kernel", "dgemm", "--dims", "n=1,n=2", "--sizes", "64", "-o", "p.csv"], ["--dims", "'n' is given twice"]),
    (["profile", "--kernel", "dgemm", "--dims", "n=64,q=64", "--sizes", "64", "-o", "p.csv", "--processor", "cpu:0"], "q"),
    (["profile", "--kernel", "dgemm", "--sizes", "", "-o", "p.csv"], "--sizes"),
    (["profile", "--kernel", "dgemm", "--sizes", "4", "-o", "p.csv", "--option", "file=q.csv"], "-o and --option checkpoint_file are the same"),
    (["profile", "--kernel", "dgemm", "--sizes", "4", "-o", "p.csv", "--option", "file"], "it must be KEY=VALUE"),
    (["profile", "--kernel", "dgemm", "--sizes", "4", "-o", "p.csv", "--option", "checkpoint_file=q.csv"], "-o and --option checkpoint_file are the same"),
    (["profile", "--kernel", "dgemm", "--sizes", "0:10:1", "-o", "p.csv"], ["--sizes", "'0'"]),
    (["profile", "--kernel", "dgemm", "--sizes", "10:1:1", "-o", "p.csv"], "--sizes"),
    (["profile", "--kernel", "dgemm", "--sizes", "1:10:0", "-o", "p.csv"], ["--sizes", "'0'"]),
    (["profile", "--kernel", "dgemm", "--sizes", "1:10", "-o", "p.csv"], ["--sizes", "'1:10'"]),
    (["profile", "--kernel", "dgemm", "--sizes", "1:9223372036854775807:1", "-o", "p.csv"], "--sizes"),
    (["profile", "--kernel", "dgemm", "--sizes", "64,64", "-o", "p.csv"], "twice"),
    (["profile", "--kernel", "dgemm", "--dims", "n=8,k=8", "--sizes", "64", "-o", "p.csv", "--processor", "abacus:1"], "abacus"),
    (["profile", "--kernel", "dgemm", "--dims", "n=8,k=8", "--sizes", "64", "-o", "p.csv", "--processor", "cpu:99999"],
     "--processor is 'cpu:99999', but core 99999 is not here"),
    (["group", "--kernel", "dgemm", "--dims", "8x8", "--size", "64", "--option", "deadline=1"], "option 'deadline' does not belong to hpart group"),
    (["group", "--kernel", "dgemm", "--dims", "8x8", "--size", "64", "--budget", "0"], "--budget is '0'"),
    (["run", EXAMPLE], "--size"),
    (["run", "--size", "0", EXAMPLE], "--size"),
    (["run", "--size", "4", "--kernel", "dgemm", EXAMPLE], "kernel"),
    (["run", "--size", "4", "missing.csv"], "'missing.csv'"),
    (["partition", "--size", "4", EXAMPLE, "-o", "a.csv"], "'a.csv' ends in .csv, but -o writes the JSON object; end its name in .json"),
    (["profile", "--kernel", "dgemm", "--dims", "8x8", "--sizes", "4", "-o", "p.json"], "'p.json' ends in .json, but -o writes a platform file; end its name in .csv"),
    (["profile", "--kernel", "dgemm", "--dims", "8x8", "--sizes", "4", "-o", "p.svg"], ["'p.svg'", "hpart plot draws it"]),
    (["tune", "--kernel", "dgemm", "--dims", "8x8", "--sizes", "4", "--size", "4", "-o", "t.json"], "-o writes a platform file"),
    (["slice", "--parameter", "4", "family.csv", "-o", "s.png"], "-o writes a platform file"),
    (["study", "--sizes", "4", EXAMPLE, "-o", "s.json"], "'s.json' ends in .json, but -o writes a folder"),
    (["info", "extra"], "extra"),
    (["info", "--format", "yaml"], ["--format", "'yaml'"]),
]


class BadCalls(CommandTest):
    def test_every_bad_call_is_refused(self):
        for arguments, says in BAD_CALLS:
            with self.subTest(arguments=arguments):
                self.assert_fails(2, *arguments, says=says)
        self.assertEqual(os.listdir(self.folder), [], "a refused call left a file")
        self.assertGreater(len(BAD_CALLS), 60)

    def test_a_misspelt_option_lists_those_of_the_subcommand_only(self):
        for call, others in ((["tune", "--kernel", "dgemm", "--sizes", "4", "--size", "4", "-o", "t.csv"], ["queues", "deadline", "tile"]),
                             (["partition", "--size", "4", EXAMPLE], ["precision", "queues", "backtrack_limit"]),
                             (["gemm", "--m", "4", "--n", "4", "--k", "4"], ["deadline", "precision", "panel_width"])):
            message = self.assert_fails(2, *call, "--option", "bogus=1", says=f"the options of hpart {call[0]} are ")
            for other in others:
                self.assertNotIn(other, message)

    def test_run_refuses_another_kernel_or_other_dims(self):
        path = self.write("p.csv", "# kernel = dgemm n=64 k=64\nprocessor,size,time\ncpu:0,4,1\n")
        call = ["run", "--size", "4", path]
        self.assert_fails(2, *call, "--kernel", "zfft", says=["--kernel", "'zfft'", "dgemm n=64 k=64"])
        self.assert_fails(2, *call, "--dims", "n=64,k=32", says=["--dims", "n=64,k=32", "dgemm n=64 k=64"])
        self.assert_fails(2, *call, "--dims", "n=64", says="--dims")
        self.assert_fails(2, *call, "--dims", "n=64,k=64,m=1", says="--dims")
        self.assert_fails(2, *call, "--option", "bogus=1", says="bogus")
        # Known before anything is split.
        self.assert_fails(2, "run", "--size", "5", path, "--option", "deadline=1", says="option 'deadline' does not belong to hpart run")
        self.assert_fails(3, "run", "--size", "5", path, says="the nearest feasible sizes are 4 below and none above")
        self.assert_fails(2, "run", "--size", "4", "-", stdin=b"processor,size,time\ncpu:0,4,1\n", says="hpart: standard input does not say")
        mine = self.write("m.csv", "# kernel = mysolver 2.1\nprocessor,size,time\ncpu:0,4,1\n")
        self.assert_fails(2, "run", "--size", "4", mine, says=["kernel 'mysolver 2.1' of '", "is not one that hpart runs; give --processor NAME=COMMAND for each"])
        strange = self.write("s.csv", "# kernel = dgemm n=64 k=64\nprocessor,size,time\nmy GPU,4,1\n")
        self.assert_fails(2, "run", "--size", "4", strange, says="my GPU")

    def test_an_unreadable_file(self):
        if os.geteuid() == 0:
            self.skipTest("root reads every file")
        path = self.write("p.csv", EXAMPLE.read_bytes())
        path.chmod(0)
        self.assert_fails(2, "partition", "--size", "4", path, says=[str(path), "denied"])


class Infeasible(CommandTest):
    def test_an_objective_without_its_functions_is_a_wrong_call(self):
        times = self.write("times.csv", "processor,size,time\na,10,1\nb,10,1\n")
        none = self.write("none.csv", "# processors = a,b\nprocessor,size,time\n")
        for arguments in (["partition", "--objective", "energy"], ["partition", "--objective", "total-energy", "--base-power", "1"],
                          ["partition", "--energy-budget", "3"], ["pareto"]):
            self.assert_fails(2, *arguments, "--size", "10", times, says="the platform has no energy functions")
        for arguments in (["partition"], ["pareto"], ["schedule"], ["partition", "--method", "hpopta"]):
            self.assert_fails(2, *arguments, "--size", "10", none, says="the platform has no time functions")

    def test_the_nearest_sizes_are_named(self):
        gaps = self.write("gaps.csv", "processor,size,time\na,10,1\na,25,2\nb,10,1\n")
        for arguments, says in [
            (["partition", "--size", "22", gaps], ["22", "20", "25"]),
            (["partition", "--size", "3", gaps], ["3", "0", "10"]),
            (["partition", "--size", "40", gaps], ["40", "35"]),
            (["partition", "--size", "9223372036854775806", gaps], "35"),
        ]:
            self.assert_fails(3, *arguments, "--format", "json", says=says)
        self.assert_fails(3, "partition", "--size", "20", gaps, "--option", "max_active=1",
                          says="has at most 1 active processor, max_active; the fewest are 2")
        self.assert_fails(3, "partition", "--size", "20", gaps, "--objective", "time", "--option", "idle_processors=forbidden", "--option", "max_active=1",
                          says="1 active processor,")
        self.assert_fails(3, "schedule", "--size", "13", gaps, says="13")
        energies = self.write("energies.csv", "processor,size,time,energy\na,10,1,2\n")
        self.assert_fails(3, "pareto", "--size", "11", energies, says=["11", "10"])


    def test_a_processor_without_a_function_is_named(self):
        path = self.write("p.csv", "# processors = a,b\nprocessor,size,time\na,10,1\n")
        self.assert_fails(3, "partition", "--size", "10", path, "--option", "idle_processors=forbidden", says="processor 'b' has no time")


class RefusedByTheMachine(CommandTest):
    def test_a_full_disk(self):
        if not FULL.exists():
            self.skipTest("there is no /dev/full")
        for call in (["--help"], ["--version"], ["partition", "--help"], ["info"],
                     ["partition", "--size", "4", EXAMPLE], ["partition", "--size", "4", EXAMPLE, "--format", "json"]):
            with self.subTest(call=call), FULL.open("wb") as full:
                self.assert_fails(1, *call, stdout=full, says="No space left")
        self.assert_fails(1, "partition", "--size", "4", EXAMPLE, "-o", FULL, says="'/dev/full'")

    def test_a_reader_that_has_gone(self):
        reading, writing = os.pipe()
        os.close(reading)
        try:
            self.assert_fails(1, "partition", "--size", "4", EXAMPLE, stdout=writing, says="Broken pipe")
        finally:
            os.close(writing)

    def test_stdout_closed(self):
        script = '"$0" partition --size 4 "$1" >&-'
        result = subprocess.run(["sh", "-c", script, COMMAND, str(EXAMPLE)], stderr=subprocess.PIPE, check=False)
        self.assertEqual((result.returncode, result.stderr.count(b"\n")), (1, 1))
        self.assertIn(b"standard output", result.stderr)

    def test_results_that_cannot_be_written(self):
        for output in ("no/such/folder/r.json", "."):
            self.assert_fails(1, "partition", "--size", "4", EXAMPLE, "-o", output, says=f"'{output}'")
        self.assert_fails(1, "plot", EXAMPLE, "-o", "no/such/folder/r.svg", says="'no/such/folder/r.svg'")

    def test_profile_into_a_folder_that_is_not_there(self):
        self.assert_fails(1, "profile", "--kernel", "dgemm", "--dims", "n=8,k=8", "--sizes", "8", "--processor", "cpu:0",
                          "-o", "no/such/folder/p.csv", says="no/such/folder/p.csv")

    def test_sizes_that_wrap(self):
        for n in (2**63 - 1, 2**62 + 1, 2**62):
            path = self.write("p.csv", f"# kernel = zfft n={n}\nprocessor,size,time\ncpu:0,1,1\n")
            self.assert_fails(1, "run", "--size", "1", path, says="memory")
            for kernel, dims in (("zfft", f"n={n}"), ("dgemm", f"n={n},k={n}"), ("dgemv", f"n={n}")):
                call = ["--kernel", kernel, "--dims", dims]
                self.assert_fails(1, "group", *call, "--size", "1", "--grouping", "node", says="memory")
                self.assert_fails(1, "profile", *call, "--sizes", "1", "--processor", "cpu:0", "-o", "new.csv", says="memory")
        self.assert_fails(2, "group", "--kernel", "dgemv", "--dims", "n=8", "--size", 2**63 - 2, "--points", 2**63 - 1, says="--points")

    def test_a_small_address_space(self):
        # From too little to load the libraries to enough for all.
        done = refused = 0
        for megabytes in range(100, 1000, 25):
            limit = megabytes << 20
            for call in (["partition", "--size", "4", EXAMPLE], ["gemm", "--m", "300", "--n", "300", "--k", "300"]):
                ended = subprocess.run([COMMAND, *call], capture_output=True, timeout=60,
                                       preexec_fn=lambda limit=limit: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
                done += ended.returncode == 0
                refused += ended.returncode == 1 and b"OpenBLAS needs" in ended.stderr
        self.assertGreater(done, 0)
        self.assertGreater(refused, 0)

    def test_no_gnuplot(self):
        environment = {"PATH": str(self.folder)}
        self.assert_fails(1, "plot", EXAMPLE, "-o", "out.svg", environment=environment, says=["gnuplot", "PATH"])

    def test_a_gnuplot_that_fails(self):
        script = self.write("gnuplot", "#!/bin/sh\necho 'out of ink' >&2\nexit 3\n")
        script.chmod(0o755)
        environment = {"PATH": f"{self.folder}:{os.environ['PATH']}"}
        self.assert_fails(1, "plot", EXAMPLE, "-o", "out.svg", environment=environment, says="out of ink")
        self.assertFalse((self.folder / "out.svg").exists())


if __name__ == "__main__":
    unittest.main()
