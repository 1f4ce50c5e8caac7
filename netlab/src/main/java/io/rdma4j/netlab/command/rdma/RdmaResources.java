// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.rdma;

import io.rdma4j.netlab.command.shell.ArgumentReader;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.values.Resource;
import io.rdma4j.verbs.values.ResourceKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code rdma resource}: the number of objects of each kind, or all objects of one kind with their owners. */
final class RdmaResources {
    /** Details that come last. */
    private static final List<String> ADDRESSES = List.of("src-addr", "dst-addr");

    private final RdmaCommand.Run command;

    RdmaResources(RdmaCommand.Run command) {
        this.command = command;
    }

    void run(ArgumentReader arguments) {
        RdmaCommand.Run.takeShow(arguments);
        ResourceKind kind = takeKind(arguments);
        if (kind != null && arguments.hasNext() && !arguments.take("link")) {
            arguments.expect("dev");
        }
        List<Map<String, Object>> found = new ArrayList<>();
        for (Device device : command.wanted(arguments)) {
            if (kind == null) {
                found.add(counts(device));
            } else {
                list(device, kind, found);
            }
        }
        if (command.json() || kind == null) {
            command.print(found);
        } else {
            found.forEach(one -> command.out().println(line(kind, one)));
        }
    }

    private static @Nullable ResourceKind takeKind(ArgumentReader arguments) {
        for (ResourceKind kind : ResourceKind.values()) {
            if (arguments.take(kind.label())) {
                return kind;
            }
        }
        return null;
    }

    private Map<String, Object> counts(Device device) {
        Map<String, Object> values = command.head(device);
        for (ResourceKind kind : ResourceKind.values()) {
            long count = command.system().resources(device).stream()
                    .filter(resource -> resource.kind() == kind)
                    .count();
            values.put(kind.label(), count);
        }
        return values;
    }

    private void list(Device device, ResourceKind kind, List<Map<String, Object>> found) {
        for (Resource resource : command.system().resources(device)) {
            if (resource.kind() == kind) {
                Map<String, Object> values = command.head(device);
                values.put(kind.idLabel(), resource.id());
                values.putAll(resource.details());
                values.put("pid", resource.owner().pid());
                values.put("comm", resource.owner().comm());
                for (String address : ADDRESSES) {
                    Object value = values.remove(address);
                    if (value != null) {
                        values.put(address, value);
                    }
                }
                found.add(values);
            }
        }
    }

    private static String line(ResourceKind kind, Map<String, Object> values) {
        Map<String, Object> rest = new LinkedHashMap<>(values);
        rest.remove("ifindex");
        Object name = rest.remove("ifname");
        boolean isOfPort = kind == ResourceKind.QP || kind == ResourceKind.CM_ID;
        StringBuilder line = new StringBuilder(isOfPort ? "link " + name + "/1" : "dev " + name);
        rest.forEach((word, value) -> line.append(' ').append(word).append(' ').append(value));
        return line.toString();
    }
}
