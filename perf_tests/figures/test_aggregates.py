#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""The figure of aggregates: python3 -m unittest discover perf_tests/figures"""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import aggregates  # noqa: E402

PANEL = {"title": "a", "width": 3, "of_node": [0, 0, 1, 2, 0, 1]}


class Aggregates(unittest.TestCase):
    def setUp(self):
        self.panels = aggregates.read()["panels"]

    def test_the_committed_figure_is_that_of_its_data(self):
        self.assertEqual(aggregates.main(["--check"]), 0)

    def test_a_drawing_that_differs_is_reported(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(aggregates, "FIGURE", pathlib.Path(folder) / "a"), \
                mock.patch.object(aggregates, "read", return_value={"panels": [PANEL]}):
            with contextlib.redirect_stderr(io.StringIO()):
                self.assertEqual(aggregates.main(["--check"]), 1)
            self.assertEqual(aggregates.main([]), 0)
            self.assertEqual(aggregates.main(["--check"]), 0)
            (pathlib.Path(folder) / "a.svg").write_text("other", encoding="utf-8")
            with contextlib.redirect_stderr(io.StringIO()):
                self.assertEqual(aggregates.main(["--check"]), 1)

    def test_boxes_are_those_of_the_definition(self):
        for node, aggregate in enumerate(self.panels[0]["of_node"]):
            self.assertEqual(aggregate, node % 18 // 3 + 6 * (node // 18 // 3))

    def test_aggregates_are_connected_numbered_without_gaps_and_limited(self):
        for panel in self.panels:
            of_node = panel["of_node"]
            self.assertEqual(len(of_node), 18 * panel["width"])
            self.assertEqual(sorted(set(of_node)), list(range(max(of_node) + 1)))
            for aggregate in set(of_node):
                members = {node for node, other in enumerate(of_node) if other == aggregate}
                self.assertLessEqual(len(members), 64)
                reached = {min(members)}
                for _ in members:
                    reached |= {b for pair in aggregates.neighbours(panel) for a, b in (pair, pair[::-1])
                                if a in reached and b in members}
                self.assertEqual(reached, members)

    def test_anisotropic_aggregates_follow_the_strong_direction(self):
        for aggregate in set(self.panels[2]["of_node"]):
            lines = {node // 18 for node, other in enumerate(self.panels[2]["of_node"]) if other == aggregate}
            self.assertEqual(len(lines), 1)

    def test_aggregates_that_touch_have_different_colours(self):
        for panel in [PANEL, *self.panels]:
            chosen = aggregates.colours(panel)
            for i, j in aggregates.neighbours(panel):
                a, b = panel["of_node"][i], panel["of_node"][j]
                self.assertEqual(a == b, chosen[a] == chosen[b])

    def test_edges_are_drawn_between_aggregates_only(self):
        path = list(aggregates.draw_panel(PANEL, 0))[-1].split('"')[1]
        self.assertEqual((path.count("v"), path.count("h")), (3, 1))


if __name__ == "__main__":
    unittest.main()
