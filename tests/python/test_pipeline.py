"""Pipelines with kernels in Python, on the host device."""
import numpy as np

import hpart
from refusals import RefusalTest


def tiles(rows, columns, tile):
    for i in range(0, rows, tile):
        for j in range(0, columns, tile):
            yield slice(i, min(i + tile, rows)), slice(j, min(j + tile, columns))


class Pipelines(RefusalTest):
    def product(self, order):
        random = np.random.default_rng(1)
        a, b = (np.array(random.standard_normal(shape), order=order) for shape in ((70, 50), (50, 90)))
        c = np.full((70, 90), np.nan, order=order)
        tile = 20
        with hpart.Device("host", memory_limit=2**16) as host:
            pipeline = hpart.Pipeline(host)
            arrays = [pipeline.add_array(8 * tile * tile) for _ in range(3)]
            steps = []
            for rows, columns in tiles(*c.shape, tile):
                for k in range(0, 50, tile):
                    depth = slice(k, k + tile)
                    pipeline.read(arrays[0], a[rows, depth])
                    pipeline.read(arrays[1], b[depth, columns])
                    (pipeline.update if k else pipeline.write)(arrays[2], c[rows, columns])
                    pipeline.end_step()
                    steps.append(k == 0)

            def kernel(step):
                x, y, z = step.arrays
                self.assertEqual(step.queue, 0)
                if steps[step.index]:
                    z[:] = 0
                z += x @ y

            for _ in range(2):
                report = pipeline.run(kernel)
                np.testing.assert_allclose(c, a @ b, atol=1e-12)
        self.assertEqual(report["bytes_from_device"], c.nbytes)
        self.assertGreaterEqual(report["bytes_to_device"], a.nbytes + b.nbytes)
        self.assertGreaterEqual(report["bytes_to_device"] + report["bytes_from_device"], report["lower_bound_bytes"])

    def test_product(self):
        self.product("C")
        self.product("F")

    def test_failures(self):
        a = np.arange(100.0)
        with hpart.Device("host") as host:
            pipeline = hpart.Pipeline(host)
            array = pipeline.add_array(800)
            pipeline.update(array, a)
            pipeline.end_step()

            def broken(step):
                raise KeyError("mine")

            with self.assertRaisesRegex(KeyError, "mine"):
                pipeline.run(broken)
            with self.assertRaisesRegex(hpart.UnsupportedError, "cl_context"):
                host.native("cl_context")
            a.flags.writeable = False
            self.assert_refused(TypeError, [(lambda: pipeline.run(3), ""), (lambda: pipeline.read(array, [1.0]), "")])
            self.assert_refused(hpart.InvalidArgumentError, [
                (lambda: pipeline.read(array, np.zeros((4, 4, 4))[:, :, 0]), "strides"),
                (lambda: pipeline.read(7, a), "array is 7"),
                (lambda: pipeline.read(array, np.zeros(101)), "at most 800"),
                (lambda: pipeline.read(array, np.zeros(0)), ""),
                (lambda: pipeline.write(array, a), "read-only"),
            ])

    def test_the_device_outlives_its_own_variable(self):
        a = np.zeros(10)
        pipeline = hpart.Pipeline(hpart.Device("host"))
        pipeline.update(pipeline.add_array(80), a)
        pipeline.end_step()

        def kernel(step):
            step.arrays[0][:] += 1

        pipeline.run(kernel)
        np.testing.assert_array_equal(a, 1)
