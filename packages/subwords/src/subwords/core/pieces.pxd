from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp cimport bool
from libcpp.vector cimport vector
from subwords.core.heap cimport Heap
from subwords.core.table cimport Table
from subwords.core.words cimport WordTable


cdef class Splitter:
    cdef int split(self, const char *word, size_t length, vector[char] *pieces) except -1 nogil


cdef class PieceTable:
    cdef object segment  # a Splitter, or a function from words to pieces
    cdef Splitter splitter
    cdef bytes between
    cdef object lost_of
    cdef WordTable words
    cdef vector[char] pieces  # of all words, in the order of their numbers
    cdef vector[uint64_t] ends
    cdef vector[int32_t] lost  # what is lost of each word
    cdef bool loses  # whether anything is lost of any word
    cdef int64_t missed
    # of the block at hand; their memory is kept
    cdef vector[int32_t] numbers
    cdef vector[char] out

    cdef int split_new(self, Splitter splitter) except -1 nogil
    cdef size_t write(self, const char *between, size_t width) except? 0 nogil


cdef class PlaceHeap(Heap):
    pass


cdef class MergeSplitter(Splitter):
    cdef Table symbols
    cdef Table ranks  # pairs of symbols, in the order of the merges
    cdef vector[int32_t] joined  # by rank
    cdef bytes separator
    cdef const char *end  # its bytes
    cdef size_t width
    cdef PlaceHeap heap
    # the word at hand, by unit
    cdef vector[int32_t] symbol
    cdef vector[int32_t] next
    cdef vector[int32_t] prev
    cdef vector[int32_t] rank  # of the pair of this unit and the next
    cdef vector[size_t] start  # the unit's first byte
    cdef vector[int32_t] batch

    cdef int32_t add(self, bytes string) except -1
    cdef int look(self, int32_t p) except -1 nogil
    cdef int read(self, const char *word, size_t length) except -1 nogil
