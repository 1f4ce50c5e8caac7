// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.peer;

import io.rdma4j.verbs.Context;
import java.util.stream.Collectors;

/** Formats the GID table of an open device for messages. */
public final class GidSlots {
    private GidSlots() {}

    /** Returns the slots that are not empty, for example {@code 0: ::ffff:10.0.0.1, 1: fe80::1}. */
    public static String text(Context context) {
        return context.queryGidTable().stream()
                .map(entry -> entry.index() + ": " + entry.gid())
                .collect(Collectors.joining(", "));
    }
}
