"""Two processors whose time is known at four sizes: who gets how much of 12 units, so that the work is done first?"""
import hpart

platform = hpart.Platform(["CPU", "GPU"])
platform.set_time("CPU", [2, 4, 8, 10], [1.0, 2.0, 5.0, 7.0])
platform.set_time("GPU", [2, 4, 8, 10], [2.0, 2.1, 2.5, 6.0])
best = platform.partition_time(12)
print(f"CPU {best['CPU']}, GPU {best['GPU']}: {best.time} s")  # CPU 4, GPU 8: 2.5 s
