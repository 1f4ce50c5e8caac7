// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.abi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.Owner;
import io.rdma4j.verbs.values.Resource;
import io.rdma4j.verbs.values.ResourceKind;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * Encodes the live objects of a device as text. Each line is one object; tabs separate kind, number, process id,
 * process name and pairs of detail name and value. The text is compressed (zlib), so that 50,000 ids of rdma_cm fit
 * into a frame.
 */
public final class ResourceCodec {
    private static final int FIRST_DETAIL = 4;
    /** Leaves room for the other attributes of a frame. */
    private static final int MAX_BYTES = FrameCodec.MAX_BODY_BYTES - 64;

    private static final int MAX_TEXT_BYTES = 1 << 25;
    private static final int PART_BYTES = 1 << 13;

    private ResourceCodec() {}

    /**
     * {@return the objects as compressed UTF-8 text}
     *
     * @param resources objects, in any order
     * @throws RdmaException EMSGSIZE if they do not fit into a frame
     */
    public static byte[] encode(List<Resource> resources) {
        StringBuilder text = new StringBuilder();
        for (Resource resource : resources) {
            text.append(resource.kind().label()).append('\t').append(resource.id());
            text.append('\t').append(resource.owner().pid());
            text.append('\t').append(field(resource.owner().comm()));
            resource.details()
                    .forEach((key, value) ->
                            text.append('\t').append(field(key)).append('\t').append(field(value.toString())));
            text.append('\n');
        }
        byte[] bytes = compress(text.toString().getBytes(StandardCharsets.UTF_8));
        if (bytes.length > MAX_BYTES) {
            throw new RdmaException(
                    Errno.EMSGSIZE,
                    resources.size() + " objects take " + bytes.length + " bytes: the limit is " + MAX_BYTES);
        }
        return bytes;
    }

    static byte[] compress(byte[] text) {
        try (Deflater deflater = new Deflater()) {
            deflater.setInput(text);
            deflater.finish();
            ByteArrayOutputStream compressed = new ByteArrayOutputStream();
            byte[] part = new byte[PART_BYTES];
            while (!deflater.finished()) {
                compressed.write(part, 0, deflater.deflate(part));
            }
            return compressed.toByteArray();
        }
    }

    private static byte[] decompress(byte[] bytes) {
        try (Inflater inflater = new Inflater()) {
            inflater.setInput(bytes);
            ByteArrayOutputStream text = new ByteArrayOutputStream();
            byte[] part = new byte[PART_BYTES];
            while (!inflater.finished()) {
                int length = inflater.inflate(part);
                if (length == 0 && !inflater.finished() || text.size() + length > MAX_TEXT_BYTES) {
                    throw new RdmaException(
                            Errno.EINVAL,
                            "objects of a device: the text is truncated, or has more than " + MAX_TEXT_BYTES
                                    + " bytes");
                }
                text.write(part, 0, length);
            }
            return text.toByteArray();
        } catch (DataFormatException e) {
            throw new RdmaException(Errno.EINVAL, "objects of a device: " + e.getMessage(), e);
        }
    }

    private static String field(String text) {
        return text.replaceAll("\\s", " ");
    }

    /**
     * {@return the objects that the text describes; details of up to 18 digits are {@link Long}}
     *
     * @param bytes result of {@link #encode}
     * @throws RdmaException EINVAL if the text is malformed
     */
    public static List<Resource> decode(byte[] bytes) {
        List<Resource> resources = new ArrayList<>();
        for (String line :
                new String(decompress(bytes), StandardCharsets.UTF_8).lines().toList()) {
            String[] fields = line.split("\t", -1);
            if (fields.length < FIRST_DETAIL || fields.length % 2 != 0) {
                throw new RdmaException(Errno.EINVAL, "\"" + line + "\" is no object of a device");
            }
            try {
                resources.add(new Resource(
                        kind(fields[0]),
                        Integer.parseInt(fields[1]),
                        new Owner(Long.parseLong(fields[2]), fields[3]),
                        details(fields)));
            } catch (NumberFormatException e) {
                throw new RdmaException(Errno.EINVAL, "\"" + line + "\" is no object of a device", e);
            }
        }
        return resources;
    }

    private static ResourceKind kind(String label) {
        for (ResourceKind kind : ResourceKind.values()) {
            if (kind.label().equals(label)) {
                return kind;
            }
        }
        throw new RdmaException(Errno.EINVAL, "\"" + label + "\" is no kind of object");
    }

    private static Map<String, Object> details(String[] fields) {
        Map<String, Object> details = new LinkedHashMap<>();
        for (int i = FIRST_DETAIL; i < fields.length; i += 2) {
            String value = fields[i + 1];
            details.put(fields[i], value.matches("\\d{1,18}") ? (Object) Long.valueOf(value) : value);
        }
        return details;
    }
}
