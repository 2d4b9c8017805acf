from libc.stdint cimport int32_t
from libcpp cimport bool
from libcpp.vector cimport vector


cdef struct Entry:
    double key
    int32_t item


cdef class Heap:
    cdef vector[Entry] entries

    cdef bool before(self, Entry a, Entry b) noexcept nogil
    cdef int push(self, double key, int32_t item) except -1 nogil
    cdef Entry pop(self) noexcept nogil
    cdef int rise(self, size_t place, Entry entry) noexcept nogil
