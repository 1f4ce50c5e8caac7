// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab;

import java.util.ArrayList;
import java.util.List;

/**
 * Maps the security contexts of a machine to the numbers with which packets are labelled ({@code
 * security_secctx_to_secid}). Any thread may call.
 */
public final class SecurityContexts {
    private final List<String> contexts = new ArrayList<>();

    SecurityContexts() {}

    /**
     * {@return the number of a context, from 1; always the same}
     *
     * @param context text, such as {@code system_u:object_r:ssh_packet_t:s0}
     */
    public synchronized int label(String context) {
        int at = contexts.indexOf(context);
        if (at < 0) {
            at = contexts.size();
            contexts.add(context);
        }
        return at + 1;
    }

    /**
     * {@return the context of a number; empty if there is none}
     *
     * @param label result of {@link #label}
     */
    public synchronized String context(int label) {
        return label >= 1 && label <= contexts.size() ? contexts.get(label - 1) : "";
    }
}
