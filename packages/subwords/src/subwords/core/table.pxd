from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.string cimport memcpy
from libcpp.vector cimport vector


cdef extern from * nogil:
    """
    #if defined(__GNUC__)
    #define subwords_prefetch(place) __builtin_prefetch(place)
    #else
    #define subwords_prefetch(place) ((void) (place))
    #endif
    """
    void prefetch "subwords_prefetch"(const void *place)


cdef struct Slot:
    uint64_t prefix  # the first eight bytes of the key
    uint32_t tag  # bits of its hash, and its length up to 9
    int32_t number  # of the key; NONE where the slot is free


cdef inline uint64_t load(const char *place, size_t length) noexcept nogil:
    """Return the first eight bytes of a key; the bytes beyond its end are zero."""
    cdef uint64_t value = 0
    cdef uint32_t last = 0
    if length >= 8:
        memcpy(&value, place, 8)
    elif length >= 4:  # two fours, which may overlap
        memcpy(&value, place, 4)
        memcpy(&last, place + length - 4, 4)
        value |= <uint64_t>last << (8 * (length - 4))
    elif length:  # the first, the middle and the last byte, which may be the same
        value = <unsigned char>place[0] | <uint64_t><unsigned char>place[length >> 1] << (8 * (length >> 1))
        value |= <uint64_t><unsigned char>place[length - 1] << (8 * (length - 1))
    return value


cdef inline uint64_t hash_of(const char *key, size_t length, uint64_t prefix) noexcept nogil:
    """Return the hash of a key; `prefix` is what `load` gives."""
    cdef uint64_t value = (prefix ^ length) * <uint64_t>0x9E3779B97F4A7C15
    value ^= value >> 32
    cdef size_t place = 8
    while place < length:  # eight bytes at a time, the last ones up to the end
        value = (value ^ load(key + (place if place + 8 <= length else length - 8), 8)) * <uint64_t>0x9E3779B97F4A7C15
        value ^= value >> 29
        place += 8
    return value


cdef inline uint64_t byteswap(uint64_t value) noexcept nogil:
    """Return the eight bytes in the other order: as a number, what `load` gives then sorts as its bytes do."""
    value = (value & <uint64_t>0x00FF00FF00FF00FF) << 8 | (value >> 8 & <uint64_t>0x00FF00FF00FF00FF)
    value = (value & <uint64_t>0x0000FFFF0000FFFF) << 16 | (value >> 16 & <uint64_t>0x0000FFFF0000FFFF)
    return value << 32 | value >> 32


cdef inline uint32_t tag_of(uint64_t hash, size_t length) noexcept nogil:
    """Return the bits of a hash that do not choose the slot, and the key's length up to 9."""
    return <uint32_t>(hash >> 36) << 4 | (length if length < 9 else 9)


cdef class Table:
    cdef vector[Slot] slots
    cdef vector[uint64_t] ends
    cdef vector[char] text

    cdef int32_t size(self) noexcept nogil
    cdef const char *key(self, int32_t number) noexcept nogil
    cdef size_t length(self, int32_t number) noexcept nogil
    cdef int32_t find(self, const char *key, size_t length) noexcept nogil
    cdef int32_t add(self, const char *key, size_t length) except -1 nogil
    cdef int32_t add_pair(self, uint32_t x, uint32_t y) except -1 nogil
    cdef int32_t add_known(self, const char *key, size_t length, uint64_t prefix, uint64_t hash) except -1 nogil
    cdef size_t slot_of(self, const char *key, size_t length, uint64_t prefix, uint64_t hash) noexcept nogil
    cdef int grow(self) except -1 nogil


cdef inline int32_t find_short(Table table, uint64_t key, size_t length) noexcept nogil:
    """Return the number of a key of up to 8 bytes, which is given as `load` returns it, or -1."""
    cdef uint64_t hash = hash_of(NULL, length, key)
    cdef uint32_t tag = tag_of(hash, length)
    cdef size_t mask = table.slots.size() - 1
    cdef size_t slot = hash & mask
    cdef Slot *found = &table.slots[slot]
    while found.number != -1 and (found.prefix != key or found.tag != tag):
        slot = (slot + 1) & mask
        found = &table.slots[slot]
    return found.number


cdef inline int32_t find_pair(Table table, uint32_t x, uint32_t y) noexcept nogil:
    """Return the number of the key that two numbers make, or -1."""
    return find_short(table, <uint64_t>y << 32 | x, 8)


cdef inline uint64_t letter_key(const char *letter, size_t length, bint last) noexcept nogil:
    """Return a character as a symbol, as `find_short` takes it; the last one of its word carries "</w>"."""
    cdef uint64_t end = 0x3E772F3C
    return load(letter, length) | (end << (8 * length) if last else 0)
