from libc.stdint cimport uint32_t
from libcpp cimport bool
from libcpp.vector cimport vector
from subwords.core.table cimport Table

ctypedef vector[uint32_t] Codes


cdef class Pretokenizer:
    # by code point
    cdef vector[unsigned char] classes
    cdef vector[uint32_t] lower
    cdef vector[uint32_t] upper
    # what characters are written as
    cdef Table escaped
    cdef vector[Codes] written

    cdef int read(self, const char *text, size_t size, bool escaping, Codes &out) except -1 nogil
    cdef int mark_spans(self, Codes &text, Codes &out) except -1 nogil
    cdef int give_back_capital(self, Codes &text) noexcept nogil
    cdef int end_span_at_letter(self, Codes &text) noexcept nogil
    cdef int mark_capitals(self, Codes &text, Codes &out) except -1 nogil
    cdef int separate_words(self, Codes &text, Codes &out) except -1 nogil
    cdef int delimit_and_join(self, Codes &text, bool joining, Codes &out) except -1 nogil
    cdef int joined_by(self, Codes &text, size_t i, bool unused) noexcept nogil
