"""Speed and memory of C-Dist over a memory-mapped file against reading the same file once, in one process.

The file is written for the run (float32, 1.5 GB by default) and removed. Memory is the process's own peak, file pages included.
"""

import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from analysis import distances


def written(file: Path, n: int, dimensions: int) -> None:
    vectors = np.lib.format.open_memmap(file, mode="w+", dtype=np.float32, shape=(n, dimensions))
    rng = np.random.default_rng(0)
    for start in range(0, n, 10_000):
        part = vectors[start : start + 10_000]
        part[:] = rng.standard_normal(part.shape, dtype=np.float32) + np.float32(0.5)
    vectors.flush()


def read(file: Path) -> float:
    """Seconds to read the file once through a small buffer."""
    start, buffer = time.perf_counter(), bytearray(2**20)
    with file.open("rb", buffering=0) as source:
        while source.readinto(buffer):
            pass
    return time.perf_counter() - start


def copied(file: Path) -> float:
    """Seconds to touch every vector of the mapped file once, block by block."""
    start, vectors = time.perf_counter(), np.load(file, mmap_mode="r")
    buffer = np.empty((distances.ROWS, vectors.shape[1]), vectors.dtype)
    for block in distances.blocks(vectors):
        buffer[: len(block)] = block
    return time.perf_counter() - start


def summarised(file: Path) -> tuple[float, distances.Summary]:
    start = time.perf_counter()
    summary = distances.summarise(np.load(file, mmap_mode="r"))
    return time.perf_counter() - start, summary


def peak() -> int:
    """Most bytes that the process has held so far."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


def main(
    n: Annotated[int, typer.Option(help="Vectors.")] = 1_000_000,
    dimensions: int = 384,
    repeat: int = 5,
    folder: Annotated[Path | None, typer.Option(help="Where to write the file; a temporary folder if left out.")] = None,
) -> None:
    with tempfile.TemporaryDirectory(dir=folder) as place:
        file = Path(place) / "vectors.npy"
        written(file, n, dimensions)
        Path("/proc/self/clear_refs").write_text("5")  # forget the peak of writing
        times = [(read(file), copied(file), summarised(file)[0]) for _ in range(repeat)]
        centroid = summarised(file)[1].centroid
    reading, copying, summing = (statistics.median(column) for column in zip(*times, strict=True))
    found = {"vectors": n, "dimensions": dimensions, "read_s": reading, "read_mapped_s": copying, "c_dist_s": summing}
    found |= {"over_read": summing / reading, "over_read_mapped": summing / copying, "centroid": centroid.mean()}
    found = {name: round(float(value), 3) for name, value in found.items()} | {"peak_mb": round(peak() / 1e6)}
    print(json.dumps(found))


if __name__ == "__main__":
    typer.run(main)
