// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

import io.rdma4j.base.Gid;
import io.rdma4j.wire.FieldSink;
import io.rdma4j.wire.FieldText;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.regex.Pattern;

/** A field of a management datagram: name, first bit, width, format, and where it is valid. */
public final class MadField {
    /** How a field is printed, and which accessors it has. */
    enum Format {
        /** A count; {@link MadField#get}. */
        DECIMAL,
        /** A number, key or identifier; {@link MadField#get}. */
        HEX,
        /** 128 bits; {@link MadField#gid}. */
        GID,
        /** Characters up to the first zero byte; {@link MadField#text}. */
        TEXT,
        /** Data of a higher layer; {@link MadField#bytes}. Printed as the number of bytes up to the last one set. */
        BYTES
    }

    private static final int BITS_OF_DIGIT = 4;
    /** Characters that a terminal would execute; the text comes from the network. */
    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final String name;
    private final int firstBit;
    private final int bits;
    private final Format format;
    private final long component;
    private final boolean settable;
    private final Set<PortKind> ports;

    MadField(
            String name, int firstBit, int bits, Format format, long component, boolean settable, Set<PortKind> ports) {
        this.name = name;
        this.firstBit = firstBit;
        this.bits = bits;
        this.format = format;
        this.component = component;
        this.settable = settable;
        this.ports = ports;
    }

    /** Returns the same field in a structure that contains this field's structure from the byte {@code at} on. */
    MadField within(int at) {
        return new MadField(name, firstBit + at * Byte.SIZE, bits, format, component, settable, ports);
    }

    /** {@return the name, as printed by tools} */
    public String name() {
        return name;
    }

    /** {@return offset of the byte with the first bit, from the beginning of the structure} */
    public int offset() {
        return firstBit / Byte.SIZE;
    }

    /** {@return number of bits} */
    public int bits() {
        return bits;
    }

    /** {@return number of bytes of a field that consists of whole bytes} */
    public int length() {
        return bits / Byte.SIZE;
    }

    /** First bit, counted from the most significant bit of the first byte of the structure. */
    int firstBit() {
        return firstBit;
    }

    /** Returns true if {@link #get} applies. */
    boolean isNumber() {
        return format == Format.DECIMAL || format == Format.HEX;
    }

    /** Returns true if {@link #gid} applies. */
    boolean isGid() {
        return format == Format.GID;
    }

    /**
     * {@return the bits of the field in the component mask of the SA record that has it; 0 if there is none}
     */
    public long componentMask() {
        return component;
    }

    /**
     * {@return true if a Set of the attribute changes the field at a port of this kind; an agent ignores other fields}
     *
     * @param kind of the port
     */
    public boolean isSettable(PortKind kind) {
        return settable && isValid(kind);
    }

    /**
     * {@return true if the field has a meaning at a port of this kind; it is 0 at others}
     *
     * @param kind of the port
     */
    public boolean isValid(PortKind kind) {
        return ports.contains(kind);
    }

    /**
     * {@return the value of a number, unsigned}
     *
     * @param segment the memory of the datagram
     * @param offset of the structure's first byte
     */
    public long get(MemorySegment segment, long offset) {
        requireNumber();
        long at = offset + offset();
        if (bits == Long.SIZE) {
            return segment.get(LONG, at);
        }
        int used = firstBit % Byte.SIZE + bits;
        long value = 0;
        for (int i = 0; i < used; i += Byte.SIZE) {
            value = value << Byte.SIZE | segment.get(ValueLayout.JAVA_BYTE, at + i / Byte.SIZE) & 0xFF;
        }
        return value >>> (-used & (Byte.SIZE - 1)) & mask();
    }

    /**
     * {@return the value of a number of at most 32 bits}
     *
     * @param segment the memory of the datagram
     * @param offset of the structure's first byte
     */
    public int getInt(MemorySegment segment, long offset) {
        return (int) get(segment, offset);
    }

    /**
     * {@return true if a number is not 0}
     *
     * @param segment the memory of the datagram
     * @param offset of the structure's first byte
     */
    public boolean isSet(MemorySegment segment, long offset) {
        return get(segment, offset) != 0;
    }

    /**
     * Sets a number. Neighbouring bits of the same byte do not change.
     *
     * @param segment the memory of the datagram
     * @param offset of the structure's first byte
     * @param value only the low bits are used
     */
    public void put(MemorySegment segment, long offset, long value) {
        requireNumber();
        int end = firstBit + bits;
        long rest = value;
        for (int last = end; last > firstBit; ) {
            int first = Math.max(firstBit, (last - 1) / Byte.SIZE * Byte.SIZE);
            int count = last - first;
            int shift = -last & (Byte.SIZE - 1);
            int mask = (1 << count) - 1 << shift;
            long at = offset + first / Byte.SIZE;
            int old = segment.get(ValueLayout.JAVA_BYTE, at);
            segment.set(ValueLayout.JAVA_BYTE, at, (byte) (old & ~mask | (int) rest << shift & mask));
            rest >>>= count;
            last = first;
        }
    }

    /**
     * {@return the value of a GID}
     *
     * @param segment the memory of the datagram
     * @param offset of the structure's first byte
     */
    public Gid gid(MemorySegment segment, long offset) {
        require(Format.GID);
        return new Gid(segment.get(LONG, offset + offset()), segment.get(LONG, offset + offset() + Long.BYTES));
    }

    /**
     * Sets a GID.
     *
     * @param segment the memory of the datagram
     * @param offset of the structure's first byte
     * @param value the GID
     */
    public void put(MemorySegment segment, long offset, Gid value) {
        require(Format.GID);
        segment.set(LONG, offset + offset(), value.prefix());
        segment.set(LONG, offset + offset() + Long.BYTES, value.interfaceId());
    }

    /**
     * {@return the characters of a text up to the first zero byte} Allocates.
     *
     * @param segment the memory of the datagram
     * @param offset of the structure's first byte
     */
    public String text(MemorySegment segment, long offset) {
        require(Format.TEXT);
        byte[] bytes = slice(segment, offset).toArray(ValueLayout.JAVA_BYTE);
        int end = 0;
        while (end < bytes.length && bytes[end] != 0) {
            end++;
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8);
    }

    /**
     * {@return the memory of a field of bytes or text, a slice of {@code segment}}
     *
     * @param segment the memory of the datagram
     * @param offset of the structure's first byte
     */
    public MemorySegment bytes(MemorySegment segment, long offset) {
        if (format != Format.BYTES && format != Format.TEXT) {
            throw new IllegalStateException(name + " is a field of format " + format);
        }
        return slice(segment, offset);
    }

    private MemorySegment slice(MemorySegment segment, long offset) {
        return segment.asSlice(offset + offset(), length());
    }

    /** Passes the value to {@code sink}. */
    void describe(MemorySegment segment, long offset, FieldSink sink) {
        switch (format) {
            case DECIMAL -> sink.decimal(name, get(segment, offset));
            case HEX -> sink.hex(name, get(segment, offset), Math.ceilDiv(bits, BITS_OF_DIGIT));
            case GID -> sink.text(name, gid(segment, offset).toString());
            case TEXT ->
                sink.text(name, '"' + CONTROL.matcher(text(segment, offset)).replaceAll("?") + '"');
            case BYTES -> sink.decimal(name, usedBytes(slice(segment, offset)));
        }
    }

    /** Returns the value of a number as text. */
    String valueText(MemorySegment segment, long offset) {
        long value = get(segment, offset);
        return format == Format.HEX
                ? FieldText.toHex(value, Math.ceilDiv(bits, BITS_OF_DIGIT))
                : Long.toUnsignedString(value);
    }

    /** Returns true if all bits are 0. */
    boolean isZero(MemorySegment segment, long offset) {
        return switch (format) {
            case DECIMAL, HEX -> !isSet(segment, offset);
            case GID -> gid(segment, offset).equals(Gid.ZERO);
            case TEXT, BYTES -> usedBytes(slice(segment, offset)) == 0;
        };
    }

    private static long usedBytes(MemorySegment bytes) {
        long end = bytes.byteSize();
        while (end > 0 && bytes.get(ValueLayout.JAVA_BYTE, end - 1) == 0) {
            end--;
        }
        return end;
    }

    private long mask() {
        return -1L >>> (Long.SIZE - bits);
    }

    private void requireNumber() {
        if (!isNumber()) {
            throw new IllegalStateException(name + " is a field of format " + format + ", not a number");
        }
    }

    private void require(Format expected) {
        if (format != expected) {
            throw new IllegalStateException(name + " is a field of format " + format + ", not " + expected);
        }
    }

    @Override
    public String toString() {
        return name + " at " + offset() + "." + firstBit % Byte.SIZE + ", " + bits + " bits";
    }
}
