// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.abi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.Owner;
import io.rdma4j.verbs.values.Resource;
import io.rdma4j.verbs.values.ResourceKind;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Encodes the live objects of a device as text. Each line is one object; tabs separate kind, number, process id,
 * process name and pairs of detail name and value.
 */
public final class ResourceCodec {
    private static final int FIRST_DETAIL = 4;

    private ResourceCodec() {}

    /**
     * {@return the objects as UTF-8 text}
     *
     * @param resources objects, in any order
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
        return text.toString().getBytes(StandardCharsets.UTF_8);
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
        for (String line : new String(bytes, StandardCharsets.UTF_8).lines().toList()) {
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
