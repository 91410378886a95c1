"""hpart shape and hpart slice."""

from command import CommandTest

JAGGED = "processor,size,time\nCPU,1,1\nCPU,2,4\nCPU,3,2\nCPU,4,8\nGPU,1,3\nGPU,2,2\n"
FAMILY = "parameter,processor,size,time\n100,CPU,1,1\n100,CPU,2,4\n300,CPU,1,3\n300,CPU,2,8\n"


class Shape(CommandTest):
    def test_keys(self):
        shapes = self.json_of("shape", self.write("jagged.csv", JAGGED))["processors"]
        self.assertEqual([shape["processor"] for shape in shapes], ["CPU", "GPU"])
        self.assertEqual((shapes[0]["points"], shapes[0]["time_falls"], shapes[0]["time_variation"]), (4, 1, 100.0))
        self.assertEqual((shapes[0]["fpm"], shapes[1]["fpm"]), (0, 0))
        self.assertNotIn("energy_falls", shapes[0])

    def test_infinite_variation_is_null(self):
        path = self.write("zero.csv", "processor,size,time\na,1,2\na,2,0\na,3,2\na,4,1\n")
        self.assertIsNone(self.json_of("shape", path)["processors"][0]["time_variation"])

    def test_the_kernel_gives_the_operations(self):
        rows = "processor,size,time\n" + "".join(f"a,{x},{x}\n" for x in (1, 2, 4, 8))
        plain = self.json_of("shape", self.write("plain.csv", rows))["processors"][0]
        transform = self.json_of("shape", self.write("zfft.csv", "# kernel = zfft n=4\n" + rows))["processors"][0]
        self.assertEqual((plain["fpm_peak"], plain["fpm"]), (8, 1))
        self.assertEqual(transform["fpm_falling"], 0, "more operations a row in a longer transform")

    def test_for_people(self):
        text = self.text_of("shape", self.write("jagged.csv", JAGGED))
        self.assertIn("falls of pairs", text)
        rows = [line.split() for line in text.splitlines()]
        self.assertEqual([row[2:5] for row in rows if row[:2] == ["CPU", "time"]], [["1", "of", "3"]], "pairs of four points")
        self.assertEqual([row[2:5] for row in rows if row[:2] == ["GPU", "time"]], [["1", "of", "1"]])
        single = self.text_of("shape", self.write("single.csv", "processor,size,time\na,1,1\n"))
        self.assertIn("0 of 0", single)
        self.assertIn("100.0 %", text)
        self.assertIn("CPU: the conditions of functional performance models do not hold", text)


class Slice(CommandTest):
    def test_a_slice_is_a_platform_file(self):
        family = self.write("family.csv", FAMILY)
        result = self.json_of("slice", "--parameter", "300", family, "-o", "n300.csv")
        self.assertEqual(result, {"parameter": 300, "file": "n300.csv", "processors": ["CPU"]})
        self.assertEqual((self.folder / "n300.csv").read_text(), "processor,size,time\nCPU,1,3\nCPU,2,8\n")
        self.assertEqual("wrote the platform of parameter 300 to n300.csv\n",
                         self.text_of("slice", "--parameter", "300", family, "-o", "n300.csv"))

    def test_between_slices(self):
        family = self.write("family.csv", FAMILY)
        self.assert_fails(2, "slice", "--parameter", "200", family, "-o", "n200.csv")
        self.assertFalse((self.folder / "n200.csv").exists())
        self.text_of("slice", "--parameter", "200", "--option", "interpolate=linear", family, "-o", "n200.csv")
        self.assertEqual((self.folder / "n200.csv").read_text(), "processor,size,time\nCPU,1,2\nCPU,2,6\n")

    def test_refused(self):
        family = self.write("family.csv", FAMILY)
        self.assert_fails(2, "slice", "--parameter", "100", family)
        self.assert_fails(2, "slice", "--parameter", "-1", family, "-o", "out.csv")
        empty = self.write("empty.csv", "parameter,processor,size,time\n")
        self.assert_fails(2, "slice", "--parameter", "5", empty, "-o", "out.csv", says="empty.csv:2:1: the file has a header but no rows")
        self.assert_fails(2, "slice", "--parameter", "100", self.write("platform.csv", JAGGED), "-o", "out.csv")
