"""The worked problem of figure 3.10: 4 processors; 16 takes 1 second, 31 takes 3. Argument: its platform file."""
import sys

import hpart

platform = hpart.Platform.read(sys.argv[1])
assert len(platform) == 4

for size, expected in ((16, 1.0), (31, 3.0)):
    distribution = platform.partition_time(size)
    assert distribution.time == expected, (size, distribution)
    assert distribution.x.sum() == size, (size, distribution)
    assert platform.evaluate(distribution.x).time == expected, (size, distribution)

try:
    platform.partition_time(65)
except hpart.InfeasibleError:
    pass
else:
    raise AssertionError("65 is more than all can take")
