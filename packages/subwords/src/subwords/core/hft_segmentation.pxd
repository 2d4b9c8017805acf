from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libcpp cimport bool
from libcpp.utility cimport pair
from libcpp.vector cimport vector
from subwords.core.pieces cimport Splitter
from subwords.core.table cimport Table
from subwords.core.words cimport WordTable


cdef struct Node:
    int32_t depth  # the length of the prefix
    int32_t shorter  # the longest proper suffix that is a prefix of an entry
    int32_t shorter_entry  # the longest proper suffix that is an entry, or ROOT
    int32_t entry  # the entry that is this prefix, or NONE
    int64_t frequency  # of the entry


cdef struct Best:
    int64_t entries  # of the best segmentation of a prefix
    int64_t minimum  # their lowest frequency
    int32_t last  # the last one, or UNKNOWN or LOST
    int32_t start  # where the last one starts
    int32_t node  # of the automaton


cdef class EntrySplitter(Splitter):
    cdef Table edges  # (node, code point); edge n leads to node n + 1
    cdef vector[Node] nodes
    cdef list entries
    cdef int64_t first_minimum
    cdef int64_t most
    cdef bool loses_words
    # the word at hand
    cdef vector[uint32_t] codes
    cdef vector[int32_t] offsets  # of its characters, in bytes
    cdef vector[Best] best  # by prefix
    cdef vector[int32_t] pieces
    cdef vector[int32_t] ends

    cdef int insert(self, str entry, int32_t number, int64_t frequency) except -1
    cdef int link(self) except -1
    cdef int32_t follow(self, int32_t node, uint32_t code) noexcept nogil
    cdef int32_t segment(self, const uint32_t *word, int32_t size, int32_t known) except -1 nogil
    cdef int mark_unknown(self, int32_t end, int32_t size) noexcept nogil
    cdef int read(self, const char *word, size_t length) except -1 nogil


cdef class Types:
    cdef vector[int64_t] counts
    cdef vector[char] text  # of all words, in UTF-8, in their order
    cdef vector[uint32_t] codes
    cdef vector[int32_t] offsets  # of the characters in the text
    cdef vector[int32_t] ends  # of the words in the codes
    cdef vector[int32_t] shared  # characters that a word has in common with the one before it
    # by character
    cdef vector[int32_t] piece  # the string of the piece that ends there; UNKNOWN, or INSIDE a piece
    cdef vector[int32_t] couple  # the string of that piece and the one before it, or NONE
    # strings that have been entries or candidates, with their counts in the present segmentation
    cdef Table strings
    cdef vector[int64_t] used
    cdef vector[int64_t] neighbours

    cdef int read(self, WordTable words, vector[pair[pair[uint64_t, uint64_t], int32_t]] &order) except -1 nogil
    cdef int32_t string(self, int32_t first, int32_t last) except -1 nogil
    cdef int take_back(self, int32_t begin, int32_t end, int64_t count) noexcept nogil
    cdef int put(self, EntrySplitter splitter, int32_t begin, int64_t count) except -1 nogil
    cdef int segment(self, EntrySplitter splitter) except -1 nogil
