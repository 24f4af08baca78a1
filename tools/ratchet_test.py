#!/usr/bin/env python3
"""The test of tools/ratchet."""

import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from load_script import load_script

ratchet = load_script("ratchet")


class Ratchet(unittest.TestCase):
    def test_functions_are_measured_from_head_to_closing_brace(self):
        text = """namespace a {
class C {
  int f(int x) {
    if (x) {
      return 1;
    }
    return 2;
  }
};
int g() { return 1; }
int h(int x,
      int y) {
  return x;
}
}  // namespace a
"""
        self.assertEqual(list(ratchet.functions(text.splitlines())), [(3, 6), (11, 4)])

    def test_a_function_at_the_left_margin(self):
        self.assertEqual(list(ratchet.functions(["void f() {", "  {", "  }", "}"])), [(1, 4)])

    def test_a_constraint_is_not_the_head(self):
        text = [
            "template <class T>",
            "  requires(A<T>)",
            "void f() {",
            "  g();",
            "}",
            "void h() {",
            "}",
        ]
        self.assertEqual(list(ratchet.functions(text)), [(3, 3), (6, 2)])

    def test_a_head_behind_its_constraint_is_one(self):
        text = [
            "template <class T>",
            "requires(A<T>())",
            "    [[gnu::always_inline]] inline void f() {",
            "  g();",
            "}",
            "template <class T>",
            "requires(A<T>()) [[gnu::always_inline]] inline int h(int x) {",
            "  return x;",
            "}",
            "template <class T>",
            "concept C = requires(T t) {",
            "  t.a();",
            "};",
        ]
        self.assertEqual(list(ratchet.functions(text)), [(3, 3), (7, 3)])

    def test_counts_tell_tests_from_code(self):
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, "src", "weir"))
            for name, lines in (("a.cc", 3), ("a.h", 2), ("a_test.cc", 9)):
                with open(os.path.join(root, "src", "weir", name), "w", encoding="utf-8") as file:
                    file.write("// NOLINT\n" * lines)
            counts = ratchet.counts(root)
        self.assertEqual(
            counts["longest source file, lines"], {"value": 3, "where": "src/weir/a.cc"}
        )
        self.assertEqual(
            counts["longest test file, lines"], {"value": 9, "where": "src/weir/a_test.cc"}
        )
        self.assertEqual(counts["tidy findings silenced"]["value"], 14)

    def test_only_growth_is_said(self):
        now = {"a": {"value": 3}, "b": {"value": 2}, "c": {"value": 1}, "new": {"value": 9}}
        landed = {"a": {"value": 2}, "b": {"value": 2}, "c": {"value": 2}}
        self.assertEqual(ratchet.grown(now, landed), ["a"])
        self.assertEqual(ratchet.grown(now, landed, tolerance=1.5), [])


if __name__ == "__main__":
    unittest.main()
