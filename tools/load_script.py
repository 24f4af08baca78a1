"""Loads a script of this folder, whose name has no .py, as a module: for its test."""

import importlib.machinery
import importlib.util
import os
import sys


def load_script(name):
    sys.dont_write_bytecode = True
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    loader = importlib.machinery.SourceFileLoader(name, path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module
