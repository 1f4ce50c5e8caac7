// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip.neighbour;

/** State of a neighbour ({@code neigh->nud_state}); {@link NeighbourTransitions} holds the transitions. */
public enum NeighbourState {
    /** No link address, and no solicitation was sent ({@code NUD_NONE}). */
    NONE(0x00, false),
    /** A solicitation was sent; packets wait ({@code NUD_INCOMPLETE}). */
    INCOMPLETE(0x01, false),
    /** It replied within the reachable time ({@code NUD_REACHABLE}). */
    REACHABLE(0x02, true),
    /** Its link address is known, but not confirmed ({@code NUD_STALE}). */
    STALE(0x04, true),
    /** As STALE, but packets are sent to it: probes follow soon ({@code NUD_DELAY}). */
    DELAY(0x08, true),
    /** It is being probed; packets are sent to its known link address ({@code NUD_PROBE}). */
    PROBE(0x10, true),
    /** It did not reply ({@code NUD_FAILED}). */
    FAILED(0x20, false),
    /** Configured by an administrator ({@code NUD_PERMANENT}). */
    PERMANENT(0x80, true);

    private final int code;
    private final boolean valid;

    NeighbourState(int code, boolean valid) {
        this.code = code;
        this.valid = valid;
    }

    /** {@return the value of Linux, one bit for each state} */
    public int code() {
        return code;
    }

    /** {@return true if its link address is known and used for packets ({@code NUD_VALID})} */
    public boolean isValid() {
        return valid;
    }

    /** {@return true if packets are sent without a change of state ({@code NUD_CONNECTED})} */
    public boolean isConnected() {
        return this == REACHABLE || this == PERMANENT;
    }

    /** True while solicitations are repeated. */
    boolean isAsking() {
        return this == INCOMPLETE || this == PROBE;
    }
}
