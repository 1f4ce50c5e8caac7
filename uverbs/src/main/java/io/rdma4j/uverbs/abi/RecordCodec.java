// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.abi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Encodes and decodes records: the components in their order. Numbers are big-endian. Constants and text are names
 * after a 16-bit length. Sets and maps follow their size. A record follows the byte 1; the byte 0 is null. The decoder
 * skips unknown constants in a set or map.
 */
public final class RecordCodec {
    private RecordCodec() {}

    static byte[] encode(Record record) {
        return bytes(out -> write(out, record.getClass(), record));
    }

    /**
     * {@return the encoded entries of a map}
     *
     * @param numbers names and numbers, encoded in the map's order
     */
    public static byte[] encode(Map<String, Long> numbers) {
        return bytes(out -> {
            out.writeInt(numbers.size());
            for (Map.Entry<String, Long> entry : numbers.entrySet()) {
                out.writeUTF(entry.getKey());
                out.writeLong(entry.getValue());
            }
        });
    }

    /** @throws RdmaException EINVAL if the bytes do not encode such a record */
    static <T extends Record> T decode(Class<T> type, byte[] bytes) {
        return parse(bytes, type.getSimpleName(), in -> {
            Object record = read(in, type);
            if (record == null) {
                throw new IOException("no record");
            }
            return type.cast(record);
        });
    }

    /**
     * {@return the map that {@link #encode(Map)} encoded, in the same order}
     *
     * @param bytes the complete encoding
     * @throws RdmaException EINVAL if the bytes do not encode a map
     */
    public static Map<String, Long> decodeMap(byte[] bytes) {
        return parse(bytes, "Map", in -> {
            Map<String, Long> numbers = new LinkedHashMap<>();
            for (int left = in.readInt(); left > 0; left--) {
                numbers.put(in.readUTF(), in.readLong());
            }
            return numbers;
        });
    }

    /**
     * {@return the encoded records of a list}
     *
     * @param records records of one type
     */
    public static byte[] encodeList(List<? extends Record> records) {
        return bytes(out -> {
            out.writeInt(records.size());
            for (Record record : records) {
                write(out, record.getClass(), record);
            }
        });
    }

    /**
     * {@return the list that {@link #encodeList} encoded}
     *
     * @param <T> type of the records
     * @param type class of the records
     * @param bytes the complete encoding
     * @throws RdmaException EINVAL if the bytes do not encode such a list
     */
    public static <T extends Record> List<T> decodeList(Class<T> type, byte[] bytes) {
        return parse(bytes, "list of " + type.getSimpleName(), in -> {
            List<T> records = new ArrayList<>();
            for (int left = in.readInt(); left > 0; left--) {
                Object record = read(in, type);
                if (record == null) {
                    throw new IOException("no record");
                }
                records.add(type.cast(record));
            }
            return records;
        });
    }

    /**
     * {@return the constant with a code}
     *
     * @param <E> type of the constants
     * @param constants all constants, at least one
     * @param code returns the code of a constant
     * @param wanted code to find
     * @throws RdmaException EINVAL if no constant has this code
     */
    public static <E extends Enum<E>> E byCode(E[] constants, ToIntFunction<E> code, int wanted) {
        for (E constant : constants) {
            if (code.applyAsInt(constant) == wanted) {
                return constant;
            }
        }
        throw new RdmaException(
                Errno.EINVAL,
                wanted + " is no " + constants[0].getDeclaringClass().getSimpleName());
    }

    private interface Writer {
        void write(DataOutputStream out) throws IOException;
    }

    private interface Reader<T> {
        T read(DataInputStream in) throws IOException, ReflectiveOperationException;
    }

    private static byte[] bytes(Writer writer) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            writer.write(new DataOutputStream(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static <T> T parse(byte[] bytes, String what, Reader<T> reader) {
        try {
            return reader.read(new DataInputStream(new ByteArrayInputStream(bytes)));
        } catch (IOException | ReflectiveOperationException | IllegalArgumentException e) {
            throw new RdmaException(Errno.EINVAL, bytes.length + " bytes are no " + what, e);
        }
    }

    private static void write(DataOutputStream out, Type type, @Nullable Object value) throws IOException {
        switch (value) {
            case null -> out.writeBoolean(false);
            case Integer number -> out.writeInt(number);
            case Long number -> out.writeLong(number);
            case Boolean flag -> out.writeBoolean(flag);
            case String text -> out.writeUTF(text);
            case Enum<?> constant -> out.writeUTF(constant.name());
            case Set<?> set -> {
                out.writeInt(set.size());
                for (Object constant : set) {
                    out.writeUTF(((Enum<?>) constant).name());
                }
            }
            case Map<?, ?> map -> {
                out.writeInt(map.size());
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    out.writeUTF(((Enum<?>) entry.getKey()).name());
                    out.writeLong((long) entry.getValue());
                }
            }
            case Record record -> {
                out.writeBoolean(true);
                for (RecordComponent component : record.getClass().getRecordComponents()) {
                    write(out, component.getGenericType(), component(record, component));
                }
            }
            default -> throw new IllegalArgumentException("no structure has a " + type);
        }
    }

    private static @Nullable Object component(Record record, RecordComponent component) {
        try {
            return component.getAccessor().invoke(record);
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException(component.toString(), e);
        }
    }

    private static @Nullable Object read(DataInputStream in, Type type)
            throws IOException, ReflectiveOperationException {
        if (type instanceof ParameterizedType generic) {
            Class<?> constants = (Class<?>) generic.getActualTypeArguments()[0];
            return generic.getRawType() == Set.class ? readSet(in, constants) : readMap(in, constants);
        }
        Class<?> plain = (Class<?>) type;
        if (plain == int.class) {
            return in.readInt();
        }
        if (plain == long.class) {
            return in.readLong();
        }
        if (plain == boolean.class) {
            return in.readBoolean();
        }
        if (plain == String.class) {
            return in.readUTF();
        }
        if (plain.isEnum()) {
            String name = in.readUTF();
            Object constant = constant(plain, name);
            if (constant == null) {
                throw new IOException("unknown " + plain.getSimpleName() + " " + name);
            }
            return constant;
        }
        return in.readBoolean() ? readRecord(in, plain) : null;
    }

    private static Object readRecord(DataInputStream in, Class<?> type)
            throws IOException, ReflectiveOperationException {
        RecordComponent[] components = type.getRecordComponents();
        Class<?>[] types = new Class<?>[components.length];
        @Nullable Object[] values = new @Nullable Object[components.length];
        for (int i = 0; i < components.length; i++) {
            types[i] = components[i].getType();
            values[i] = read(in, components[i].getGenericType());
        }
        return type.getDeclaredConstructor(types).newInstance(values);
    }

    private static Set<Object> readSet(DataInputStream in, Class<?> constants) throws IOException {
        Set<Object> set = new HashSet<>();
        for (int left = in.readInt(); left > 0; left--) {
            Object constant = constant(constants, in.readUTF());
            if (constant != null) {
                set.add(constant);
            }
        }
        return set;
    }

    private static Map<Object, Long> readMap(DataInputStream in, Class<?> constants) throws IOException {
        Map<Object, Long> map = new HashMap<>();
        for (int left = in.readInt(); left > 0; left--) {
            Object constant = constant(constants, in.readUTF());
            long value = in.readLong();
            if (constant != null) {
                map.put(constant, value);
            }
        }
        return map;
    }

    private static @Nullable Object constant(Class<?> type, String name) {
        for (Object constant : type.getEnumConstants()) {
            if (((Enum<?>) constant).name().equals(name)) {
                return constant;
            }
        }
        return null;
    }
}
