// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

import io.rdma4j.wire.FieldSink;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The layout of a structure in management datagrams: its name, its size and its fields in the order of the wire. */
public final class MadLayout {
    private final String name;
    private final int bytes;
    private final List<MadField> fields;

    private MadLayout(String name, int bytes, List<MadField> fields) {
        this.name = name;
        this.bytes = bytes;
        this.fields = fields;
    }

    static Builder builder(String name) {
        return new Builder(name);
    }

    /** {@return the name in the specification} */
    public String name() {
        return name;
    }

    /** {@return size of the structure in bytes} */
    public int bytes() {
        return bytes;
    }

    /** {@return the fields in the order of the wire, without reserved bits} */
    public List<MadField> fields() {
        return fields;
    }

    /**
     * Passes the fields that are not 0 to {@code sink}.
     *
     * @param segment the memory of the datagram
     * @param offset of the structure's first byte
     * @param sink receives name and value of each field
     */
    public void describe(MemorySegment segment, long offset, FieldSink sink) {
        for (MadField field : fields) {
            if (!field.isZero(segment, offset)) {
                field.describe(segment, offset, sink);
            }
        }
    }

    @Override
    public String toString() {
        return name + ", " + bytes + " bytes";
    }

    /** Collects the fields of a structure. Offsets are a byte, and a bit from 0, the most significant one, to 7. */
    static final class Builder {
        private final String name;
        private final List<MadField> fields = new ArrayList<>();
        private long component;

        private Builder(String name) {
            this.name = name;
        }

        /** The next fields have bit {@code number} and the following ones of the component mask of an SA record. */
        Builder component(int number) {
            component = 1L << number;
            return this;
        }

        MadField hex(String field, int offset, int bits) {
            return hex(field, offset, 0, bits);
        }

        MadField hex(String field, int offset, int bit, int bits) {
            return add(field, offset * Byte.SIZE + bit, bits, MadField.Format.HEX);
        }

        MadField decimal(String field, int offset, int bits) {
            return decimal(field, offset, 0, bits);
        }

        MadField decimal(String field, int offset, int bit, int bits) {
            return add(field, offset * Byte.SIZE + bit, bits, MadField.Format.DECIMAL);
        }

        MadField gid(String field, int offset) {
            return add(field, offset * Byte.SIZE, 2 * Long.SIZE, MadField.Format.GID);
        }

        MadField text(String field, int offset, int length) {
            return add(field, offset * Byte.SIZE, length * Byte.SIZE, MadField.Format.TEXT);
        }

        MadField bytes(String field, int offset, int length) {
            return add(field, offset * Byte.SIZE, length * Byte.SIZE, MadField.Format.BYTES);
        }

        private MadField add(String field, int firstBit, int bits, MadField.Format format) {
            MadField added = new MadField(field, firstBit, bits, format, component);
            component <<= 1;
            fields.add(added);
            return added;
        }

        /** Checks that fields neither overlap nor leave the structure of {@code bytes}. */
        MadLayout build(int bytes) {
            List<MadField> ordered = fields.stream()
                    .sorted(Comparator.comparingInt(MadField::firstBit))
                    .toList();
            int end = 0;
            for (MadField field : ordered) {
                if (field.firstBit() < end || field.firstBit() + field.bits() > bytes * Byte.SIZE) {
                    throw new IllegalStateException(
                            name + " has " + bytes + " bytes and fields up to bit " + end + " before " + field);
                }
                end = field.firstBit() + field.bits();
            }
            return new MadLayout(name, bytes, ordered);
        }
    }
}
