// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

import io.rdma4j.wire.FieldSink;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.StringJoiner;

/** Consecutive fields of the same width, such as the entries of a table. Each of them is a {@link MadField}. */
public final class MadArray {
    private static final int LEAST_RUN = 3;

    private final String name;
    private final List<MadField> elements;

    MadArray(String name, List<MadField> elements) {
        this.name = name;
        this.elements = elements;
    }

    /** Returns the same array in a structure that contains this array's structure from the byte {@code at} on. */
    MadArray within(int at) {
        return new MadArray(
                name, elements.stream().map(element -> element.within(at)).toList());
    }

    /** {@return the number of elements} */
    public int size() {
        return elements.size();
    }

    /** {@return the elements in the order of the wire} */
    public List<MadField> elements() {
        return elements;
    }

    /**
     * {@return the value of an element, unsigned}
     *
     * @param segment the memory of the datagram
     * @param offset of the structure's first byte
     * @param index 0 to {@link #size} - 1
     */
    public long get(MemorySegment segment, long offset, int index) {
        return elements.get(index).get(segment, offset);
    }

    /**
     * {@return the value of an element of at most 32 bits}
     *
     * @param segment the memory of the datagram
     * @param offset of the structure's first byte
     * @param index 0 to {@link #size} - 1
     */
    public int getInt(MemorySegment segment, long offset, int index) {
        return (int) get(segment, offset, index);
    }

    /** Passes the values up to the last one that is not 0 to {@code sink}, as one text; nothing if all are 0. */
    void describe(MemorySegment segment, long offset, FieldSink sink) {
        int used = size();
        while (used > 0 && elements.get(used - 1).isZero(segment, offset)) {
            used--;
        }
        describe(segment, offset, 0, used, sink);
    }

    /**
     * Passes the values of the elements from {@code first} up to before {@code end} to {@code sink}, as one text. Three
     * and more equal values in sequence are written as {@code value*count}.
     */
    public void describe(MemorySegment segment, long offset, int first, int end, FieldSink sink) {
        if (first >= end) {
            return;
        }
        StringJoiner text = new StringJoiner(",");
        for (int i = first; i < end; ) {
            long value = get(segment, offset, i);
            int next = i + 1;
            while (next < end && get(segment, offset, next) == value) {
                next++;
            }
            String word = elements.get(i).valueText(segment, offset);
            if (next - i >= LEAST_RUN) {
                text.add(word + "*" + (next - i));
            } else {
                for (int same = i; same < next; same++) {
                    text.add(word);
                }
            }
            i = next;
        }
        sink.text(name, text.toString());
    }
}
