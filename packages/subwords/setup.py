"""Compiles the core: Cython's pure-Python mode, to C++. Everything else is in pyproject.toml."""

import os
import sys

from Cython.Build import cythonize
from setuptools import Extension, setup

UNIX = [] if sys.platform == "win32" else ["-O3", "-g0", "-std=c++20", "-Wno-sign-compare"]
FLAGS = os.environ.get("SUBWORDS_CFLAGS", "").split()  # sanitizers, for the tests

setup(
    ext_modules=cythonize(
        [
            Extension(
                "subwords.core.*",
                ["src/subwords/core/[!_]*.py"],
                language="c++",
                extra_compile_args=[*(UNIX or ["/O2", "/std:c++20"]), *FLAGS],
                extra_link_args=FLAGS,
            )
        ],
        build_dir="build",
        compiler_directives={
            "language_level": "3",
            "boundscheck": False,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": False,
        },
    )
)
