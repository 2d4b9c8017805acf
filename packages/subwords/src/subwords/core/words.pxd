from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp cimport bool
from libcpp.vector cimport vector
from subwords.core.table cimport Table


cdef struct Span:
    size_t place  # of a word in its text
    size_t length  # 0: a line feed
    uint64_t prefix
    uint64_t hash


cdef class WordTable:
    cdef Table table
    cdef vector[int64_t] count  # how often each word was seen
    cdef vector[int64_t] seen  # where each word was seen first: the block, and the word in the block
    cdef int64_t blocks
    cdef readonly bool invalid  # a word was not UTF-8

    cdef int64_t running  # words of the block so far
    cdef vector[Span] waiting  # to be looked up

    cdef int look_up(self, const char *text, vector[int32_t] *numbers) except -1 nogil
    cdef int number(self, const char *text, size_t size, vector[int32_t] *numbers) except -1 nogil
