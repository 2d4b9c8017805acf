from libc.stdint cimport int32_t, int64_t
from libcpp cimport bool
from libcpp.vector cimport vector
from subwords.core.table cimport Table


cdef struct Unit:
    int32_t symbol  # NONE once it has become the right part of a merge
    int32_t next  # unit of the word
    int32_t prev
    int32_t word
    int32_t pair  # of this unit and the next


cdef struct Place:
    int32_t unit
    int32_t pair


cdef class RunningText:
    cdef readonly int64_t most  # merges that the words can take, or that are wanted
    cdef readonly bool ambiguous  # one symbol was made from two different pairs
    cdef bool overlap
    cdef vector[Unit] units  # in the order of the text
    cdef vector[int32_t] places  # the places of all pairs, a run for each pair
    cdef vector[Place] linked  # the places that this merge made
    # by word
    cdef vector[int64_t] weight
    # by symbol
    cdef Table symbols
    cdef vector[int64_t] uses  # how many tokens of the text it is
    cdef int64_t tokens
    # by pair
    cdef Table pairs  # of these, as many as had to be looked up
    cdef vector[int32_t] left
    cdef vector[int32_t] right
    cdef vector[int64_t] count
    cdef vector[int64_t] start  # of its run of places
    cdef vector[int32_t] length  # of the run, in which places may be that the pair has lost
    cdef vector[int32_t] stamp  # the step that touched it last
    # the last merge
    cdef int32_t step
    cdef int32_t known  # the pairs before it
    cdef vector[int32_t] touched
    cdef vector[int32_t] before  # by symbol: the pair of it and the new symbol
    cdef vector[int32_t] after  # by symbol: the pair of the new symbol and it
    # all merges
    cdef vector[int32_t] chosen

    cdef int index(self) except -1 nogil
    cdef bool larger(self, int32_t k, int32_t m) noexcept nogil
    cdef int compare(self, int32_t x, int32_t y) noexcept nogil
    cdef int32_t new_pair(self, int32_t x, int32_t y) except -1 nogil
    cdef int32_t pair_of(self, int32_t x, int32_t y) except -1 nogil
    cdef int32_t pair_before(self, int32_t x, int32_t z, bool again) except -1 nogil
    cdef int32_t pair_after(self, int32_t z, int32_t y, bool again) except -1 nogil
    cdef int write_places(self) except -1 nogil
    cdef int weigh(self, int32_t p, int32_t k, int sign) noexcept nogil
    cdef int64_t run(self, int32_t p, bool forward) noexcept nogil
    cdef int64_t count_runs(self, int32_t k) noexcept nogil
    cdef int link(self, int32_t p, int32_t k) except -1 nogil
    cdef int unlink(self, int32_t p) except -1 nogil
    cdef int touch(self, int32_t k) except -1 nogil
    cdef int32_t joined(self, int32_t x, int32_t y) except -1 nogil
    cdef int32_t merge(self, int32_t k) except -1 nogil
    cdef int32_t merge_at(self, int32_t p, int32_t k, int32_t z, bool again) except -2 nogil
