// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

import io.rdma4j.wire.FieldSink;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/** The layout of a structure in management datagrams: its name, its size and its fields in the order of the wire. */
public final class MadLayout {
    private final String name;
    private final int bytes;
    private final List<MadField> fields;
    private final List<MadField> single;
    private final List<MadArray> arrays;

    private MadLayout(String name, int bytes, List<MadField> fields, List<MadField> single, List<MadArray> arrays) {
        this.name = name;
        this.bytes = bytes;
        this.fields = fields;
        this.single = single;
        this.arrays = arrays;
    }

    /**
     * {@return a builder without fields}
     *
     * @param name of the structure in the specification
     */
    public static Builder builder(String name) {
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

    /** {@return the fields in the order of the wire, each element of an array as one, without reserved bits} */
    public List<MadField> fields() {
        return fields;
    }

    /**
     * Passes the fields that are not 0 to {@code sink}, then the arrays of which an element is not 0.
     *
     * @param segment the memory of the datagram
     * @param offset of the structure's first byte
     * @param sink receives name and value of each field
     */
    public void describe(MemorySegment segment, long offset, FieldSink sink) {
        for (MadField field : single) {
            if (!field.isZero(segment, offset)) {
                field.describe(segment, offset, sink);
            }
        }
        for (MadArray array : arrays) {
            array.describe(segment, offset, sink);
        }
    }

    @Override
    public String toString() {
        return name + ", " + bytes + " bytes";
    }

    /** Collects the fields of a structure. Offsets are a byte, and a bit from 0, the most significant one, to 7. */
    public static final class Builder {
        private final String name;
        private final List<MadField> fields = new ArrayList<>();
        private final List<MadArray> arrays = new ArrayList<>();
        private long component;
        private boolean settable;
        private Set<PortKind> ports = PortKind.ALL;

        private Builder(String name) {
            this.name = name;
        }

        /** The next fields have bit {@code number} and the following ones of the component mask of an SA record. */
        public Builder component(int number) {
            component = 1L << number;
            return this;
        }

        /** The next field exists on ports of these kinds only. */
        public Builder on(Set<PortKind> kinds) {
            ports = kinds;
            return this;
        }

        /** A Set of the attribute changes the next field. */
        public Builder settable() {
            settable = true;
            return this;
        }

        /** Adds a field that is printed in hexadecimal. */
        public MadField hex(String field, int offset, int bits) {
            return hex(field, offset, 0, bits);
        }

        /** Adds a field that is printed in hexadecimal and begins within a byte. */
        public MadField hex(String field, int offset, int bit, int bits) {
            return add(field, offset * Byte.SIZE + bit, bits, MadField.Format.HEX);
        }

        /** Adds a field that is printed in decimal. */
        public MadField decimal(String field, int offset, int bits) {
            return decimal(field, offset, 0, bits);
        }

        /** Adds a field that is printed in decimal and begins within a byte. */
        public MadField decimal(String field, int offset, int bit, int bits) {
            return add(field, offset * Byte.SIZE + bit, bits, MadField.Format.DECIMAL);
        }

        /** Adds a GID. */
        public MadField gid(String field, int offset) {
            return add(field, offset * Byte.SIZE, 2 * Long.SIZE, MadField.Format.GID);
        }

        /** Adds a text of {@code length} bytes that ends before its first zero. */
        public MadField text(String field, int offset, int length) {
            return add(field, offset * Byte.SIZE, length * Byte.SIZE, MadField.Format.TEXT);
        }

        /** Adds a field of {@code length} bytes. */
        public MadField bytes(String field, int offset, int length) {
            return add(field, offset * Byte.SIZE, length * Byte.SIZE, MadField.Format.BYTES);
        }

        /** Adds an array that is printed in hexadecimal. */
        public MadArray hexArray(String field, int offset, int bits, int count) {
            return array(field, offset * Byte.SIZE, bits, bits, count, MadField.Format.HEX);
        }

        /** Adds an array that is printed in decimal. */
        public MadArray decimalArray(String field, int offset, int bits, int count) {
            return array(field, offset * Byte.SIZE, bits, bits, count, MadField.Format.DECIMAL);
        }

        /** Adds an array whose elements begin each {@code distance} bits. */
        public MadArray decimalArray(String field, int offset, int bit, int bits, int distance, int count) {
            return array(field, offset * Byte.SIZE + bit, bits, distance, count, MadField.Format.DECIMAL);
        }

        private MadArray array(String array, int firstBit, int bits, int distance, int count, MadField.Format format) {
            List<MadField> elements = new ArrayList<>();
            boolean set = settable;
            Set<PortKind> kinds = ports;
            for (int i = 0; i < count; i++) {
                settable = set;
                ports = kinds;
                elements.add(next(array + "[" + i + "]", firstBit + i * distance, bits, format));
            }
            MadArray added = new MadArray(array, List.copyOf(elements));
            arrays.add(added);
            return added;
        }

        /** Adds the fields of another structure from the byte {@code at} on, with their bits of a component mask. */
        public Builder embed(MadLayout other, int at) {
            other.single.forEach(field -> fields.add(field.within(at)));
            other.arrays.forEach(array -> arrays.add(array.within(at)));
            return this;
        }

        private MadField add(String field, int firstBit, int bits, MadField.Format format) {
            MadField added = next(field, firstBit, bits, format);
            fields.add(added);
            return added;
        }

        private MadField next(String field, int firstBit, int bits, MadField.Format format) {
            MadField added = new MadField(field, firstBit, bits, format, component, settable, ports);
            component <<= 1;
            settable = false;
            ports = PortKind.ALL;
            return added;
        }

        /** Checks that fields neither overlap nor leave the structure of {@code bytes}. */
        public MadLayout build(int bytes) {
            Comparator<MadField> order = Comparator.comparingInt(MadField::firstBit);
            List<MadField> all = new ArrayList<>(fields);
            arrays.forEach(array -> all.addAll(array.elements()));
            all.sort(order);
            int end = 0;
            for (MadField field : all) {
                if (field.firstBit() < end || field.firstBit() + field.bits() > bytes * Byte.SIZE) {
                    throw new IllegalStateException(
                            name + " has " + bytes + " bytes and fields up to bit " + end + " before " + field);
                }
                end = field.firstBit() + field.bits();
            }
            return new MadLayout(
                    name, bytes, List.copyOf(all), fields.stream().sorted(order).toList(), List.copyOf(arrays));
        }
    }
}
