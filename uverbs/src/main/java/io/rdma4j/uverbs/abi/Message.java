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

    /** Nothing set. */
    public Message(Command command) {
        this.command = command;
    }

    /** What it is about. */
    public Command command() {
        return command;
    }

    /** Sets 32 bits. */
    public Message put(Attribute attribute, int value) {
        return put(attribute, Attribute.Type.U32, value);
    }

    /** Sets 64 bits. */
    public Message putLong(Attribute attribute, long value) {
        return put(attribute, Attribute.Type.U64, value);
    }

    /** Sets text. */
    public Message putText(Attribute attribute, String value) {
        return putBytes(attribute, value.getBytes(StandardCharsets.UTF_8));
    }

    /** Sets a structure. */
    public Message putRecord(Attribute attribute, Record value) {
        return putBytes(attribute, RecordCodec.encode(value));
    }

    /** Sets bytes. */
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

    /** True if it is set. */
    public boolean has(Attribute attribute) {
        return values.containsKey(attribute);
    }

    /** 32 bits; 0 if not set. */
    public int get(Attribute attribute) {
        return (int) Objects.requireNonNullElse(values.get(attribute), 0);
    }

    /** 64 bits; 0 if not set. */
    public long getLong(Attribute attribute) {
        return (long) Objects.requireNonNullElse(values.get(attribute), 0L);
    }

    /** Text; empty if not set. */
    public String getText(Attribute attribute) {
        return new String(getBytes(attribute), StandardCharsets.UTF_8);
    }

    /**
     * A structure.
     *
     * @throws RdmaException EINVAL if it is not set, or none of this type
     */
    public <T extends Record> T getRecord(Attribute attribute, Class<T> type) {
        byte[] bytes = getBytes(attribute);
        if (bytes.length == 0) {
            throw new RdmaException(Errno.EINVAL, command + " needs " + attribute);
        }
        return RecordCodec.decode(type, bytes);
    }

    /** Bytes; none if not set. */
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
