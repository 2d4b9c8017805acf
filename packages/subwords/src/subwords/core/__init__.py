"""The compiled core: what is hot, and nothing else. Typed Python, compiled to C++ by Cython when the package is built.

One hash table (`table`) and one heap (`heap`) serve all of it. What an algorithm does, and why, is in the module of its
name; the modules here have the loops.
"""
