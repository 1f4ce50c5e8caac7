// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.abi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Encodes and decodes frames, big-endian. Corresponds to {@code uverbs_copy_from}: all lengths are checked against the
 * bounds of the frame.
 *
 * <pre>
 *  0  number of bytes after the header (32)
 *  4  command (16)        6  kind (8)        7  encoding (8)
 *  8  sequence (32)      12  errno (32), 0 for none
 * 16  WRITE: values in the order of the table; the length (32) precedes bytes
 *     IOCTL: for each attribute: id (16), 0 (16), number of bytes (32), value
 * </pre>
 */
public final class FrameCodec {
    /** Size of the header, bytes. */
    public static final int HEADER_BYTES = 16;

    /** Maximum size of one data attribute, bytes; leaves room for the other attributes of the frame. */
    public static final int MAX_DATA_BYTES = 1 << 18;

    /** Maximum number of bytes after the header; {@link #bodyBytes} rejects more. */
    static final int MAX_BODY_BYTES = 1 << 20;

    private static final int SEQUENCE = 8;
    private static final int ATTRIBUTE_HEADER_BYTES = 8;

    private FrameCodec() {}

    /**
     * {@return the bytes of a frame, from position to limit}
     *
     * @param frame frame to encode
     */
    public static ByteBuffer encode(Frame frame) {
        Message message = frame.message();
        List<CommandAttribute> row = row(frame.kind(), message.command());
        int body = frame.style() == AttributeEncoding.WRITE ? writeBytes(message, row) : ioctlBytes(message);
        ByteBuffer to = ByteBuffer.allocate(HEADER_BYTES + body);
        Errno refusal = frame.refusal();
        to.putInt(body)
                .putShort((short) message.command().code())
                .put((byte) frame.kind().ordinal())
                .put((byte) frame.style().code())
                .putInt(frame.sequence())
                .putInt(refusal == null ? 0 : refusal.code());
        if (frame.style() == AttributeEncoding.WRITE) {
            row.forEach(attribute -> putPlain(to, attribute, message.raw(attribute)));
        } else {
            message.values().forEach((attribute, value) -> {
                to.putShort((short) attribute.id()).putShort((short) 0).putInt(bytes(attribute, value));
                putValue(to, value);
            });
        }
        return to.flip();
    }

    private static List<CommandAttribute> row(Frame.Kind kind, CommandType command) {
        return kind == Frame.Kind.REQUEST ? command.request() : command.response();
    }

    private static int writeBytes(Message message, List<CommandAttribute> row) {
        int bytes = 0;
        for (CommandAttribute attribute : row) {
            bytes += attribute.type() == CommandAttribute.Type.BYTES ? Integer.BYTES : 0;
            bytes += bytes(attribute, message.raw(attribute));
        }
        return bytes;
    }

    private static int ioctlBytes(Message message) {
        int bytes = 0;
        for (var entry : message.values().entrySet()) {
            bytes += ATTRIBUTE_HEADER_BYTES + bytes(entry.getKey(), entry.getValue());
        }
        return bytes;
    }

    private static int bytes(CommandAttribute attribute, @Nullable Object value) {
        return switch (attribute.type()) {
            case U32 -> Integer.BYTES;
            case U64 -> Long.BYTES;
            case BYTES -> value == null ? 0 : ((byte[]) value).length;
        };
    }

    private static void putPlain(ByteBuffer to, CommandAttribute attribute, @Nullable Object value) {
        switch (attribute.type()) {
            case U32 -> to.putInt(value == null ? 0 : (int) value);
            case U64 -> to.putLong(value == null ? 0 : (long) value);
            case BYTES -> {
                byte[] bytes = value == null ? new byte[0] : (byte[]) value;
                to.putInt(bytes.length).put(bytes);
            }
        }
    }

    private static void putValue(ByteBuffer to, Object value) {
        switch (value) {
            case Integer number -> to.putInt(number);
            case Long number -> to.putLong(number);
            default -> to.put((byte[]) value);
        }
    }

    /**
     * {@return number of bytes after the header}
     *
     * @param header buffer whose position is the first byte of a header
     * @throws RdmaException EINVAL if the number is negative or above the limit
     */
    public static int bodyBytes(ByteBuffer header) {
        int body = header.getInt(header.position());
        if (body < 0 || body > MAX_BODY_BYTES) {
            throw invalid("a frame of " + Integer.toUnsignedString(body) + " bytes: the limit is " + MAX_BODY_BYTES);
        }
        return body;
    }

    /**
     * {@return the sequence number of a frame with a complete header, even if the rest is malformed}
     *
     * @param frame buffer whose index 0 is the first byte of the frame
     */
    public static int sequence(ByteBuffer frame) {
        return frame.getInt(SEQUENCE);
    }

    /**
     * {@return the decoded frame}
     *
     * @param from exactly one frame, from position to limit
     * @throws RdmaException EINVAL if the frame is truncated, inconsistent or too long; EOPNOTSUPP for an unknown
     *     command, encoding or attribute
     */
    public static Frame decode(ByteBuffer from) {
        if (from.remaining() < HEADER_BYTES || from.remaining() != HEADER_BYTES + bodyBytes(from)) {
            throw invalid("a frame of " + from.remaining() + " bytes is cut off, or has something behind it");
        }
        from.getInt();
        int code = Short.toUnsignedInt(from.getShort());
        CommandType command = CommandType.ofCode(code);
        if (command == null) {
            throw new RdmaException(Errno.EOPNOTSUPP, "there is no command " + code);
        }
        Frame.Kind kind = constant(Frame.Kind.values(), from.get());
        AttributeEncoding style = style(from.get());
        int sequence = from.getInt();
        Errno refusal = errno(from.getInt());
        Message message = new Message(command);
        if (style == AttributeEncoding.WRITE) {
            readPlain(from, row(kind, command), message);
        } else {
            readTagged(from, message);
        }
        return new Frame(kind, style, sequence, refusal, message);
    }

    private static void readPlain(ByteBuffer from, List<CommandAttribute> row, Message message) {
        for (CommandAttribute attribute : row) {
            if (!from.hasRemaining()) {
                return;
            }
            int bytes = attribute.type() == CommandAttribute.Type.BYTES ? length(from) : bytes(attribute, null);
            message.putRaw(attribute, value(from, attribute, bytes));
        }
        while (from.hasRemaining()) {
            if (from.get() != 0) {
                throw new RdmaException(
                        Errno.EOPNOTSUPP, message.command() + " has more arguments than this version knows");
            }
        }
    }

    private static void readTagged(ByteBuffer from, Message message) {
        while (from.hasRemaining()) {
            int id = Short.toUnsignedInt(need(from, ATTRIBUTE_HEADER_BYTES).getShort());
            from.getShort();
            int bytes = length(from);
            CommandAttribute attribute = CommandAttribute.ofId(id);
            if (attribute == null) {
                throw new RdmaException(Errno.EOPNOTSUPP, String.format("there is no attribute 0x%04x", id));
            }
            message.putRaw(attribute, value(from, attribute, bytes));
        }
    }

    private static int length(ByteBuffer from) {
        int bytes = need(from, Integer.BYTES).getInt();
        if (bytes < 0) {
            throw invalid("an attribute of " + Integer.toUnsignedString(bytes) + " bytes");
        }
        return bytes;
    }

    private static Object value(ByteBuffer from, CommandAttribute attribute, int bytes) {
        need(from, bytes);
        if (attribute.type() == CommandAttribute.Type.BYTES) {
            byte[] value = new byte[bytes];
            from.get(value);
            return value;
        }
        if (bytes != bytes(attribute, null)) {
            throw invalid(attribute + " of " + bytes + " bytes");
        }
        return attribute.type() == CommandAttribute.Type.U32 ? (Object) from.getInt() : (Object) from.getLong();
    }

    private static ByteBuffer need(ByteBuffer from, int bytes) {
        if (from.remaining() < bytes) {
            throw invalid("an attribute of " + bytes + " bytes where " + from.remaining() + " are left");
        }
        return from;
    }

    private static <E> E constant(E[] constants, int ordinal) {
        if (ordinal < 0 || ordinal >= constants.length) {
            throw invalid("kind of frame " + ordinal);
        }
        return constants[ordinal];
    }

    private static AttributeEncoding style(int code) {
        for (AttributeEncoding style : AttributeEncoding.values()) {
            if (style.code() == code) {
                return style;
            }
        }
        throw new RdmaException(Errno.EOPNOTSUPP, "version " + code + " of the commands is not known");
    }

    /**
     * {@return the errno with a number; null for 0, EIO for an unknown one}
     *
     * @param code number in Linux
     */
    public static @Nullable Errno errno(int code) {
        for (Errno errno : Errno.values()) {
            if (errno.code() == code) {
                return errno;
            }
        }
        return code == 0 ? null : Errno.EIO;
    }

    private static RdmaException invalid(String message) {
        return new RdmaException(Errno.EINVAL, message);
    }
}
