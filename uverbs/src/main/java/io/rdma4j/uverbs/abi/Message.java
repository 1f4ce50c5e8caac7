package io.rdma4j.uverbs.abi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A command with its arguments, an answer, or an event. One thread. */
public final class Message {
    private static final byte[] NOTHING = {};

    private final Command command;
    private final Map<Attribute, Object> values = new EnumMap<>(Attribute.class);

    /**
     * Nothing set.
     *
     * @param command what it is about
     */
    public Message(Command command) {
        this.command = command;
    }

    /** {@return what it is about} */
    public Command command() {
        return command;
    }

    /**
     * Sets 32 bits.
     *
     * @param attribute one of this type
     * @param value 32 bits
     * @return this message
     */
    public Message put(Attribute attribute, int value) {
        return put(attribute, Attribute.Type.U32, value);
    }

    /**
     * Sets 64 bits.
     *
     * @param attribute one of this type
     * @param value 64 bits
     * @return this message
     */
    public Message putLong(Attribute attribute, long value) {
        return put(attribute, Attribute.Type.U64, value);
    }

    /**
     * Sets text.
     *
     * @param attribute one of bytes
     * @param value travels as UTF-8
     * @return this message
     */
    public Message putText(Attribute attribute, String value) {
        return putBytes(attribute, value.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Sets a structure.
     *
     * @param attribute one of bytes
     * @param value of a type that {@link RecordCodec} knows
     * @return this message
     */
    public Message putRecord(Attribute attribute, Record value) {
        return putBytes(attribute, RecordCodec.encode(value));
    }

    /**
     * Sets bytes.
     *
     * @param attribute one of bytes
     * @param value not copied
     * @return this message
     */
    public Message putBytes(Attribute attribute, byte[] value) {
        return put(attribute, Attribute.Type.BYTES, value);
    }

    private Message put(Attribute attribute, Attribute.Type type, Object value) {
        if (attribute.type() != type) {
            throw new IllegalArgumentException(attribute + " is of type " + attribute.type());
        }
        values.put(attribute, value);
        return this;
    }

    /**
     * {@return true if it is set}
     *
     * @param attribute any
     */
    public boolean has(Attribute attribute) {
        return values.containsKey(attribute);
    }

    /**
     * {@return 32 bits; 0 if not set}
     *
     * @param attribute one of this type
     */
    public int get(Attribute attribute) {
        return (int) Objects.requireNonNullElse(values.get(attribute), 0);
    }

    /**
     * {@return 64 bits; 0 if not set}
     *
     * @param attribute one of this type
     */
    public long getLong(Attribute attribute) {
        return (long) Objects.requireNonNullElse(values.get(attribute), 0L);
    }

    /**
     * {@return text; empty if not set}
     *
     * @param attribute one of bytes
     */
    public String getText(Attribute attribute) {
        return new String(getBytes(attribute), StandardCharsets.UTF_8);
    }

    /**
     * {@return a structure}
     *
     * @param <T> the structure
     * @param attribute one of bytes
     * @param type its class
     * @throws RdmaException EINVAL if it is not set, or none of this type
     */
    public <T extends Record> T getRecord(Attribute attribute, Class<T> type) {
        byte[] bytes = getBytes(attribute);
        if (bytes.length == 0) {
            throw new RdmaException(Errno.EINVAL, command + " needs " + attribute);
        }
        return RecordCodec.decode(type, bytes);
    }

    /**
     * {@return bytes, not a copy; none if not set}
     *
     * @param attribute one of this type
     */
    public byte[] getBytes(Attribute attribute) {
        return (byte[]) Objects.requireNonNullElse(values.get(attribute), NOTHING);
    }

    @Nullable
    Object raw(Attribute attribute) {
        return values.get(attribute);
    }

    void putRaw(Attribute attribute, Object value) {
        values.put(attribute, value);
    }

    Map<Attribute, Object> values() {
        return values;
    }
}
