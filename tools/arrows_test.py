#!/usr/bin/env python3
"""The test of tools/arrows: small trees, each with one fault, and what is said about it."""

import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from load_script import load_script

arrows = load_script("arrows")

FLOOR_PLAN = """# set(WEIR_FLOOR_PLAN nothing) in a comment is not the plan.
set(WEIR_FLOOR_PLAN
    base metrics types stream
    protocol/checkpoint  # a core
    env/api env/posix
    operators/api operators/map
    connectors/api connectors/file
    datastream exchange task environment)
"""


def said(files):
    """What arrows says about a tree of these files, {path below src/weir, or from tests/: text}."""
    with tempfile.TemporaryDirectory() as root:
        os.makedirs(os.path.join(root, "cmake"))
        with open(os.path.join(root, "cmake", "floor_plan.cmake"), "w", encoding="utf-8") as plan:
            plan.write(FLOOR_PLAN)
        for path, text in files.items():
            full = os.path.join(root, path if path.startswith("tests/") else "src/weir/" + path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as file:
                file.write(text)
        return ["%s:%d: %s" % violation for violation in arrows.check(root)]


class Arrows(unittest.TestCase):
    def refused(self, files, *wanted):
        """Exactly these complaints, each by a part of its line."""
        lines = said(files)
        self.assertEqual(len(lines), len(wanted), lines)
        for line, part in zip(lines, wanted):
            self.assertIn(part, line)

    def allowed(self, files):
        self.assertEqual(said(files), [])

    def test_an_earlier_module_may_be_included(self):
        self.allowed({"stream/a.h": '#include "weir/base/b.h"\n', "base/b.h": ""})

    def test_a_later_module_may_not(self):
        self.refused(
            {"base/a.h": '\n#include "weir/stream/b.h"\n', "stream/b.h": ""},
            "src/weir/base/a.h:2: base includes stream, which comes later",
        )

    def test_not_even_by_a_test(self):
        self.refused({"base/a_test.cc": '#include "weir/stream/b.h"\n'}, "comes later")

    def test_an_include_in_a_comment_is_none(self):
        self.allowed(
            {"base/a.h": '/*\n#include "weir/stream/b.h"\n*/\n// #include "weir/stream/b.h"\n'}
        )

    def test_an_include_of_no_module(self):
        self.refused({"base/a.h": '#include "weir/elsewhere/b.h"\n'}, "belongs to no module")

    def test_a_file_of_no_module(self):
        self.refused({"elsewhere/a.h": ""}, "src/weir/elsewhere/a.h:1: belongs to no module")

    def test_internal_belongs_to_its_module(self):
        self.allowed({"base/a.h": '#include "weir/base/internal/b.h"\n', "base/internal/b.h": ""})
        self.refused({"types/a.cc": '#include "weir/base/internal/b.h"\n'}, "internal to base")

    def test_headers_that_include_each_other(self):
        self.refused(
            {
                "base/a.h": '#include "weir/base/b.h"\n',
                "base/b.h": '#include "weir/base/c.h"\n',
                "base/c.h": '#include "weir/base/a.h"\n',
            },
            "src/weir/base/c.h:1: headers include each other: base/a.h -> base/b.h -> base/c.h -> base/a.h",
        )

    def test_a_header_that_two_share_is_no_cycle(self):
        self.allowed(
            {
                "base/a.h": '#include "weir/base/b.h"\n#include "weir/base/c.h"\n',
                "base/b.h": '#include "weir/base/c.h"\n',
                "base/c.h": "",
            }
        )

    def test_only_composers_name_plugins(self):
        include = '#include "weir/operators/map/map.h"\n'
        self.allowed(
            {
                "datastream/a.h": include,
                "environment/a.cc": include,
                "weir.h": include,
                "operators/map/map.h": "",
            }
        )
        self.refused(
            {"connectors/file/a.h": include}, "connectors/file names the plugin operators/map"
        )
        self.refused(
            {"datastream/a.h": '#include "weir/connectors/file/b.h"\n'},
            "datastream names the plugin connectors/file",
        )

    def test_a_test_may_name_a_plugin(self):
        self.allowed({"task/a_test.cc": '#include "weir/operators/map/map.h"\n'})

    def test_below_datastream_only_any_batch_is_known(self):
        self.allowed({"task/a.h": '#include "weir/operators/api/operator.h"\n'})
        self.refused({"task/a.h": '#include "weir/datastream/b.h"\n'}, "only AnyBatch")
        self.refused({"exchange/a.cc": "RecordBatch<int> batch;\n"}, "names a RecordBatch")
        self.allowed(
            {
                "exchange/a.cc": "// not a RecordBatch<int>\nAnyBatch* batch;\n",
                "exchange/a_test.cc": "RecordBatch<int> b;\n",
            }
        )

    def test_below_datastream_no_typed_operator_or_connector(self):
        for include in ("operators/map/map.h", "connectors/file/file.h"):
            lines = said({"task/a.h": f'#include "weir/{include}"\n'})
            self.assertTrue(any("only AnyBatch" in line for line in lines), lines)

    def test_a_core_is_pure(self):
        for header in (
            "thread",
            "mutex",
            "chrono",
            "atomic",
            "iostream",
            "fstream",
            "filesystem",
            "random",
            "functional",
            "unordered_map",
        ):
            lines = said({"protocol/checkpoint/a.cc": f"#include <{header}>\n"})
            self.assertTrue(any(f"protocol/ includes <{header}>" in line for line in lines), header)
        for include in ("base/log.h", "base/mutex.h", "metrics/a.h", "env/api/clock.h"):
            lines = said({"protocol/checkpoint/a.h": f'#include "weir/{include}"\n'})
            self.assertTrue(
                any(f"protocol/ includes weir/{include}" in line for line in lines), include
            )
        self.refused(
            {"protocol/checkpoint/a.h": "std::function<void()> done;\n"},
            "protocol/ uses std::function",
        )

    def test_a_core_may_use_values(self):
        self.allowed(
            {
                "protocol/checkpoint/a.h": '#include <map>\n#include <variant>\n#include "weir/base/time.h"\n#include "weir/stream/b.h"\n',
                "protocol/checkpoint/a_test.cc": "#include <fstream>\n#include <functional>\n",
            }
        )

    def test_the_world_is_touched_in_one_place(self):
        samples = {
            "std::thread t;": "a real thread",
            "std::jthread t;": "a real thread",
            "std::this_thread::yield();": "a real thread",
            "auto now = std::chrono::steady_clock::now();": "a real clock",
            "auto now = std::chrono::system_clock::now();": "a real clock",
            "using c = std::chrono::high_resolution_clock;": "a real clock",
            "::clock_gettime(CLOCK_MONOTONIC, &t);": "a real clock",
            "auto t = std::time(nullptr);": "a real clock",
            "std::mutex m;": "a lock other than weir::Mutex",
            "std::random_device d;": "randomness without a seed",
            "int fd = ::socket(AF_INET, SOCK_STREAM, 0);": "a real socket",
            "int fd = ::open(name, O_RDONLY);": "a real file",
            'FILE* f = fopen("x", "r");': "a real file",
            "std::ifstream in(name);": "a real file",
            "std::filesystem::path p;": "a real file",
            "::fsync(fd);": "a real file",
            'auto home = std::getenv("HOME");': "the process's environment",
            "#include <fcntl.h>": "a real file",
            "#include <boost/asio/io_context.hpp>": "a foreign event loop",
            "usleep(3);": "a real sleep",
        }
        for code, what in samples.items():
            lines = said({"stream/a.cc": code + "\n"})
            self.assertEqual(len(lines), 1, (code, lines))
            self.assertIn(what, lines[0])
            self.assertEqual(said({"env/posix/a.cc": code + "\n"}), [], code)

    def test_words_of_the_world_in_comments_and_strings_are_harmless(self):
        self.allowed(
            {
                "stream/a.cc": '// std::thread\n/* fopen( */ auto s = "std::mutex"; auto r = R"(::open()";\nint n = 1\'000; char q = \'"\';\n'
            }
        )

    def test_what_only_looks_like_the_world(self):
        self.allowed(
            {
                "stream/a.cc": "file.open(name); fs->rename(a, b); Files::open(x); clock.sleep(d); void sleep(Duration d);\n"
            }
        )

    def test_a_digit_separator_hides_nothing(self):
        self.refused(
            {"stream/a.cc": "int n = 1'000; std::thread t; int m = 2'000;\n"}, "a real thread"
        )

    def test_the_exempt_list_names_one_file(self):
        self.allowed({"base/mutex.h": "#include <mutex>\nstd::mutex mutex_;\n"})
        self.refused({"base/other.h": "std::mutex mutex_;\n"}, "a lock other than weir::Mutex")

    def test_no_test_sleeps(self):
        self.refused({"env/posix/a_test.cc": "std::this_thread::sleep_for(x);\n"}, "a test sleeps")
        self.refused(
            {"tests/scenarios/a.cc": "usleep(10);\n"}, "tests/scenarios/a.cc:1: a test sleeps"
        )

    def test_a_test_may_touch_the_world(self):
        self.allowed(
            {
                "stream/a_test.cc": "#include <thread>\nstd::thread t;\n",
                "stream/b_bench.cc": "std::chrono::steady_clock::now();\n",
            }
        )

    def test_headers_stay_quick(self):
        self.refused({"env/posix/a.h": "#include <regex>\n"}, "a header includes <regex>")
        self.allowed({"env/posix/a.cc": "#include <regex>\n#include <filesystem>\n"})

    def test_a_readme_names_what_the_module_declares(self):
        declaration = "weir_module(stream  # comment\n  USES types base\n  TEST_USES metrics)\n"
        files = {
            "stream/CMakeLists.txt": declaration,
            "stream/README.md": "# stream\nStands on: base,\ntypes.     Read first: a.h\n",
        }
        self.allowed(files)
        for line in ("Stands on: base.", "Stands on: base, types, metrics.", "stands on a lot."):
            self.refused(
                {**files, "stream/README.md": f"# stream\n{line}     Read first: a.h\n"},
                'want "Stands on: base, types.", as in its USES',
            )
        self.refused({"stream/CMakeLists.txt": declaration}, "module stream has no README.md")

    def test_a_readme_of_a_module_that_stands_on_nothing_or_on_everything(self):
        self.allowed(
            {
                "base/CMakeLists.txt": "weir_module(base)\n",
                "base/README.md": "# base\nStands on: nothing.     Read first: a.h\n",
                "environment/CMakeLists.txt": "weir_module(environment USES base types)\n",
                "environment/README.md": "Stands on: everything before it.\n",
            }
        )
        self.refused(
            {
                "types/CMakeLists.txt": "weir_module(types USES base)\n",
                "types/README.md": "\n\nStands on: everything before it.\n",
            },
            "src/weir/types/README.md:3: want",
        )

    def test_every_exemption_has_a_reason(self):
        for place, reason in arrows.EXEMPT.items():
            self.assertTrue(reason.strip(), place)


if __name__ == "__main__":
    unittest.main()
