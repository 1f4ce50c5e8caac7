// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sa;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/**
 * A record of the SA. In a query, the component mask selects the fields that count: those that were set. Corresponds to
 * {@code struct ib_sa_path_rec} and the like together with {@code comp_mask}. One thread at a time.
 *
 * {@snippet :
 * SaRecord wanted = SaRecord.of(MadAttribute.PATH_RECORD)
 *         .set(PathRecord.DGID, peer)
 *         .set(PathRecord.SGID, own)
 *         .set(PathRecord.PKEY, 0xFFFF)
 *         .set(PathRecord.NUMB_PATH, 1);
 * }
 */
public final class SaRecord {
    private final MadAttribute attribute;
    private final MemorySegment memory;
    private long componentMask;

    private SaRecord(MadAttribute attribute, MemorySegment memory, long componentMask) {
        this.attribute = attribute;
        this.memory = memory;
        this.componentMask = componentMask;
    }

    /**
     * {@return a record without components}
     *
     * @param attribute kind of record
     * @throws RdmaException EINVAL if the attribute is not one of subnet administration
     */
    public static SaRecord of(MadAttribute attribute) {
        if (!attribute.isRecord()) {
            throw new RdmaException(Errno.EINVAL, attribute + " is no attribute of subnet administration");
        }
        byte[] bytes = new byte[attribute.layout().bytes()];
        return new SaRecord(attribute, MemorySegment.ofArray(bytes), 0);
    }

    /**
     * {@return a record in the layout of the wire, as {@link #toBytes} gives it}
     *
     * @param attribute kind of record
     * @param bytes of the record; copied
     * @param componentMask fields that count
     * @throws RdmaException EINVAL if the attribute is not one of subnet administration, or has another length
     */
    public static SaRecord ofBytes(MadAttribute attribute, byte[] bytes, long componentMask) {
        SaRecord record = of(attribute);
        if (bytes.length != record.memory.byteSize()) {
            throw new RdmaException(
                    Errno.EINVAL, attribute + " has " + record.memory.byteSize() + " bytes, not " + bytes.length);
        }
        record.memory.copyFrom(MemorySegment.ofArray(bytes));
        record.componentMask = componentMask;
        return record;
    }

    /** {@return a copy of the record in the layout of the wire} */
    public byte[] toBytes() {
        return memory.toArray(ValueLayout.JAVA_BYTE);
    }

    /** A record of a message, without components. */
    static SaRecord read(MadAttribute attribute, MemorySegment message, long offset) {
        byte[] bytes = message.asSlice(offset, attribute.layout().bytes()).toArray(ValueLayout.JAVA_BYTE);
        return new SaRecord(attribute, MemorySegment.ofArray(bytes), 0);
    }

    /** {@return a copy with the same components} */
    public SaRecord copy() {
        return new SaRecord(attribute, MemorySegment.ofArray(memory.toArray(ValueLayout.JAVA_BYTE)), componentMask);
    }

    /** {@return the kind of record} */
    public MadAttribute attribute() {
        return attribute;
    }

    /** {@return the fields that count: {@link MadField#componentMask} of those that were set} */
    public long componentMask() {
        return componentMask;
    }

    /**
     * {@return true if a field counts}
     *
     * @param field of the record
     */
    public boolean has(MadField field) {
        check(field);
        return (componentMask & field.componentMask()) != 0;
    }

    /**
     * Sets a number and adds its component.
     *
     * @param field of the record
     * @param value only the low bits are used
     * @return this record
     * @throws RdmaException EINVAL if the field is of another record
     */
    public SaRecord set(MadField field, long value) {
        check(field);
        field.put(memory, 0, value);
        componentMask |= field.componentMask();
        return this;
    }

    /**
     * Sets a GID and adds its component.
     *
     * @param field of the record
     * @param value the GID
     * @return this record
     * @throws RdmaException EINVAL if the field is of another record
     */
    public SaRecord set(MadField field, Gid value) {
        check(field);
        field.put(memory, 0, value);
        componentMask |= field.componentMask();
        return this;
    }

    /**
     * Sets a text and adds its component.
     *
     * @param field of the record
     * @param value UTF-8, at most as long as the field
     * @return this record
     * @throws RdmaException EINVAL if the field is of another record or the text is too long
     */
    public SaRecord set(MadField field, String value) {
        check(field);
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > field.length()) {
            throw new RdmaException(
                    Errno.EINVAL, field.name() + " has " + field.length() + " bytes, the text " + bytes.length);
        }
        MemorySegment target = field.bytes(memory, 0);
        target.fill((byte) 0);
        MemorySegment.copy(bytes, 0, target, ValueLayout.JAVA_BYTE, 0, bytes.length);
        componentMask |= field.componentMask();
        return this;
    }

    /**
     * {@return a number, unsigned}
     *
     * @param field of the record
     * @throws RdmaException EINVAL if the field is of another record
     */
    public long get(MadField field) {
        check(field);
        return field.get(memory, 0);
    }

    /**
     * {@return a GID}
     *
     * @param field of the record
     * @throws RdmaException EINVAL if the field is of another record
     */
    public Gid gid(MadField field) {
        check(field);
        return field.gid(memory, 0);
    }

    /**
     * {@return a text}
     *
     * @param field of the record
     * @throws RdmaException EINVAL if the field is of another record
     */
    public String text(MadField field) {
        check(field);
        return field.text(memory, 0);
    }

    private void check(MadField field) {
        if (!attribute.layout().fields().contains(field)) {
            throw new RdmaException(Errno.EINVAL, field + " is no field of " + attribute);
        }
    }

    /** The record in the layout of the wire. */
    MemorySegment memory() {
        return memory;
    }

    /** True if a field of the other record has the same value, or does not count in the other record. */
    boolean agreesWith(SaRecord other, MadField field) {
        if (!other.has(field)) {
            return true;
        }
        return field.bits() == 2 * Long.SIZE ? gid(field).equals(other.gid(field)) : get(field) == other.get(field);
    }

    @Override
    public String toString() {
        return attribute + " with components 0x" + Long.toHexString(componentMask);
    }
}
