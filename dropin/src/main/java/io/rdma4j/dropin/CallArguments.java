// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

/**
 * The arguments of a command: an array of 64-bit numbers of the C side.
 *
 * @param address of the array; valid during the call
 */
record CallArguments(long address) {
    long number(int index) {
        return CMemory.getLong(address + (long) Long.BYTES * index);
    }

    /** Returns a number whose type in C is {@code int}, {@code uint32_t} or narrower. */
    int small(int index) {
        return (int) number(index);
    }

    boolean flag(int index) {
        return number(index) != 0;
    }

    /** Returns the object whose handle is an argument. */
    <T> T object(int index, Class<T> type) {
        return ObjectTable.get(small(index), type);
    }
}
