// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.rdmacm;

import io.rdma4j.rdmacm.ConnectionEventType;
import org.jspecify.annotations.Nullable;

/** A step of a connection that {@code cmtime} measures, in its order. */
enum CmtimeStep {
    CREATE_ID("create id", "creating id", null),
    BIND("bind addr", "binding source address", null),
    RESOLVE_ADDRESS("resolve addr", "resolving address", ConnectionEventType.ADDR_RESOLVED),
    RESOLVE_ROUTE("resolve route", "resolving route", ConnectionEventType.ROUTE_RESOLVED),
    CREATE_QP("create qp", "creating qp", null),
    CONNECT("connect", "connecting", ConnectionEventType.ESTABLISHED),
    DISCONNECT("disconnect", "disconnecting", ConnectionEventType.DISCONNECTED),
    DESTROY("destroy", "destroying id", null);

    private final String title;
    private final String start;
    private final @Nullable ConnectionEventType outcome;

    CmtimeStep(String title, String start, @Nullable ConnectionEventType outcome) {
        this.title = title;
        this.start = start;
        this.outcome = outcome;
    }

    /** Name in the result table. */
    String title() {
        return title;
    }

    /** Line at the start of the step. */
    String start() {
        return start;
    }

    /** Event that ends the step; null if the call itself does. */
    @Nullable
    ConnectionEventType outcome() {
        return outcome;
    }
}
