// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.abi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A command with its arguments, an answer, or an event. Not thread-safe. */
public final class Message {
    private static final byte[] NOTHING = {};

    private final CommandType command;
    private final Map<CommandAttribute, Object> values = new EnumMap<>(CommandAttribute.class);

    /**
     * Creates a message without attributes.
     *
     * @param command command of the message
     */
    public Message(CommandType command) {
        this.command = command;
    }

    /** {@return the command of the message} */
    public CommandType command() {
        return command;
    }

    /**
     * Sets a 32-bit attribute.
     *
     * @param attribute attribute of this type
     * @param value 32 bits
     * @return this message
     */
    public Message put(CommandAttribute attribute, int value) {
        return put(attribute, CommandAttribute.Type.U32, value);
    }

    /**
     * Sets a 64-bit attribute.
     *
     * @param attribute attribute of this type
     * @param value 64 bits
     * @return this message
     */
    public Message putLong(CommandAttribute attribute, long value) {
        return put(attribute, CommandAttribute.Type.U64, value);
    }

    /**
     * Sets an attribute to text in UTF-8.
     *
     * @param attribute attribute of bytes
     * @param value text
     * @return this message
     */
    public Message putText(CommandAttribute attribute, String value) {
        return putBytes(attribute, value.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Sets an attribute to an encoded structure.
     *
     * @param attribute attribute of bytes
     * @param value record of a type that {@link RecordCodec} supports
     * @return this message
     */
    public Message putRecord(CommandAttribute attribute, Record value) {
        return putBytes(attribute, RecordCodec.encode(value));
    }

    /**
     * Sets an attribute to bytes.
     *
     * @param attribute attribute of bytes
     * @param value not copied
     * @return this message
     */
    public Message putBytes(CommandAttribute attribute, byte[] value) {
        return put(attribute, CommandAttribute.Type.BYTES, value);
    }

    private Message put(CommandAttribute attribute, CommandAttribute.Type type, Object value) {
        if (attribute.type() != type) {
            throw new IllegalArgumentException(attribute + " is of type " + attribute.type());
        }
        values.put(attribute, value);
        return this;
    }

    /**
     * {@return true if the attribute is set}
     *
     * @param attribute any attribute
     */
    public boolean has(CommandAttribute attribute) {
        return values.containsKey(attribute);
    }

    /**
     * {@return a 32-bit attribute; 0 if not set}
     *
     * @param attribute attribute of this type
     */
    public int get(CommandAttribute attribute) {
        return (int) Objects.requireNonNullElse(values.get(attribute), 0);
    }

    /**
     * {@return a 64-bit attribute; 0 if not set}
     *
     * @param attribute attribute of this type
     */
    public long getLong(CommandAttribute attribute) {
        return (long) Objects.requireNonNullElse(values.get(attribute), 0L);
    }

    /**
     * {@return an attribute as UTF-8 text; empty if not set}
     *
     * @param attribute attribute of bytes
     */
    public String getText(CommandAttribute attribute) {
        return new String(getBytes(attribute), StandardCharsets.UTF_8);
    }

    /**
     * {@return a decoded structure}
     *
     * @param <T> type of the structure
     * @param attribute attribute of bytes
     * @param type class of the structure
     * @throws RdmaException EINVAL if the attribute is not set or does not encode this type
     */
    public <T extends Record> T getRecord(CommandAttribute attribute, Class<T> type) {
        byte[] bytes = getBytes(attribute);
        if (bytes.length == 0) {
            throw new RdmaException(Errno.EINVAL, command + " needs " + attribute);
        }
        return RecordCodec.decode(type, bytes);
    }

    /**
     * {@return the bytes of an attribute, not copied; empty if not set}
     *
     * @param attribute attribute of bytes
     */
    public byte[] getBytes(CommandAttribute attribute) {
        return (byte[]) Objects.requireNonNullElse(values.get(attribute), NOTHING);
    }

    @Nullable
    Object raw(CommandAttribute attribute) {
        return values.get(attribute);
    }

    void putRaw(CommandAttribute attribute, Object value) {
        values.put(attribute, value);
    }

    Map<CommandAttribute, Object> values() {
        return values;
    }
}
