# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""compare_vectors.py A.mtx B.mtx LIMIT: fails if max |a_i - b_i| > LIMIT max |a_i|. Array files of Matrix Market."""
import sys


def vector(path):
    with open(path) as file:
        lines = [line for line in file if not line.startswith("%")]
    rows, columns = map(int, lines[0].split())
    numbers = [complex(*map(float, line.split())) for line in lines[1:]]
    if columns != 1 or len(numbers) != rows:
        sys.exit(f"{path}: {len(numbers)} numbers, expected {rows} x {columns} in one column")
    return numbers


a, b, limit = vector(sys.argv[1]), vector(sys.argv[2]), float(sys.argv[3])
if len(a) != len(b):
    sys.exit(f"{len(a)} and {len(b)} rows")
scale = max(map(abs, a), default=0.0)
difference = max((abs(p - q) for p, q in zip(a, b)), default=0.0)
print(f"largest difference {difference}, largest entry {scale}")
if not (scale > 0 and difference <= limit * scale):  # also NaN
    sys.exit(f"expected at most {limit} of the largest entry")
