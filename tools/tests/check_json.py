#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""check_json.py FILE EXPRESSION

Exits with 1 unless the Python expression of `j`, the JSON in FILE, is true. NaN and infinity are not JSON."""
import json
import pathlib
import sys


def refuse(constant):
    raise ValueError(f"{constant} is not JSON")


path, expression = sys.argv[1:]
j = json.loads(pathlib.Path(path).read_text(encoding="utf-8"), parse_constant=refuse)
if not eval(expression, {"j": j}):
    print(f"{path}: not true: {expression}\n{json.dumps(j, indent=2)}")
    sys.exit(1)
