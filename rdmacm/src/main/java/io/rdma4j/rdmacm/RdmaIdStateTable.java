// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import static io.rdma4j.rdmacm.RdmaIdState.ADDR_BOUND;
import static io.rdma4j.rdmacm.RdmaIdState.ADDR_QUERY;
import static io.rdma4j.rdmacm.RdmaIdState.ADDR_RESOLVED;
import static io.rdma4j.rdmacm.RdmaIdState.DESTROYING;
import static io.rdma4j.rdmacm.RdmaIdState.DEVICE_REMOVAL;
import static io.rdma4j.rdmacm.RdmaIdState.DISCONNECT;
import static io.rdma4j.rdmacm.RdmaIdState.IDLE;
import static io.rdma4j.rdmacm.RdmaIdState.ROUTE_QUERY;
import static io.rdma4j.rdmacm.RdmaIdState.ROUTE_RESOLVED;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All transitions of an {@link RdmaId}. A call without transition throws EINVAL; an event without transition is
 * dropped.
 */
public final class RdmaIdStateTable {
    private static final Map<RdmaIdTrigger, Map<RdmaIdState, RdmaIdState>> STEPS = new EnumMap<>(RdmaIdTrigger.class);

    static {
        step(RdmaIdTrigger.BIND_ADDRESS, ADDR_BOUND, IDLE);
        step(RdmaIdTrigger.RESOLVE_ADDRESS, ADDR_QUERY, IDLE, ADDR_BOUND);
        step(RdmaIdTrigger.ADDRESS_FOUND, ADDR_RESOLVED, ADDR_QUERY);
        step(RdmaIdTrigger.ADDRESS_FAILED, ADDR_BOUND, ADDR_QUERY);
        step(RdmaIdTrigger.RESOLVE_ROUTE, ROUTE_QUERY, ADDR_RESOLVED);
        step(RdmaIdTrigger.ROUTE_FOUND, ROUTE_RESOLVED, ROUTE_QUERY);
        step(RdmaIdTrigger.ROUTE_FAILED, ADDR_RESOLVED, ROUTE_QUERY);
        step(RdmaIdTrigger.LISTEN, RdmaIdState.LISTEN, IDLE, ADDR_BOUND);
        step(RdmaIdTrigger.CONNECT, RdmaIdState.CONNECT, ROUTE_RESOLVED);
        step(RdmaIdTrigger.REQUEST, RdmaIdState.CONNECT, IDLE);
        step(RdmaIdTrigger.ACCEPT, RdmaIdState.CONNECT, RdmaIdState.CONNECT);
        step(RdmaIdTrigger.JOIN, ADDR_BOUND, ADDR_BOUND);
        step(RdmaIdTrigger.JOIN, ADDR_RESOLVED, ADDR_RESOLVED);
        step(RdmaIdTrigger.MESSAGE, RdmaIdState.CONNECT, RdmaIdState.CONNECT);
        step(RdmaIdTrigger.DISCONNECTED, DISCONNECT, RdmaIdState.CONNECT);
        step(RdmaIdTrigger.TIMEWAIT_OVER, DISCONNECT, DISCONNECT);
        for (RdmaIdState state : RdmaIdState.values()) {
            if (state != DESTROYING) {
                step(RdmaIdTrigger.DESTROY, DESTROYING, state);
                if (state != IDLE && state != DEVICE_REMOVAL) {
                    step(RdmaIdTrigger.DEVICE_REMOVED, DEVICE_REMOVAL, state);
                }
            }
        }
    }

    private RdmaIdStateTable() {}

    private static void step(RdmaIdTrigger trigger, RdmaIdState next, RdmaIdState... from) {
        for (RdmaIdState state : from) {
            STEPS.computeIfAbsent(trigger, _ -> new EnumMap<>(RdmaIdState.class))
                    .put(state, next);
        }
    }

    /**
     * {@return the next state, or null if there is no transition}
     *
     * @param state of the id
     * @param trigger call or event
     */
    public static @Nullable RdmaIdState step(RdmaIdState state, RdmaIdTrigger trigger) {
        return STEPS.getOrDefault(trigger, Map.of()).get(state);
    }

    /** The next state after a call; throws EINVAL without transition. */
    static RdmaIdState call(RdmaIdState state, RdmaIdTrigger call) {
        RdmaIdState next = step(state, call);
        if (next == null) {
            throw new RdmaException(
                    Errno.EINVAL,
                    call + " in state " + state + "; allowed in "
                            + STEPS.getOrDefault(call, Map.of()).keySet());
        }
        return next;
    }
}
