package io.rdma4j.net.ip;

/** What is known of a neighbour ({@code neigh->nud_state}); {@link NeighbourTransitions} has the ways between the states. */
public enum NeighbourState {
    /** Nothing; nobody has asked yet ({@code NUD_NONE}). */
    NONE(0x00, false),
    /** A question is out, packets wait ({@code NUD_INCOMPLETE}). */
    INCOMPLETE(0x01, false),
    /** It answered a short while ago ({@code NUD_REACHABLE}). */
    REACHABLE(0x02, true),
    /** Its link address is known, whether it still answers is not ({@code NUD_STALE}). */
    STALE(0x04, true),
    /** As STALE, but packets go there: soon it is asked ({@code NUD_DELAY}). */
    DELAY(0x08, true),
    /** It is being asked, packets go where it was ({@code NUD_PROBE}). */
    PROBE(0x10, true),
    /** It did not answer ({@code NUD_FAILED}). */
    FAILED(0x20, false),
    /** Made by hand ({@code NUD_PERMANENT}). */
    PERMANENT(0x80, true);

    private final int code;
    private final boolean valid;

    NeighbourState(int code, boolean valid) {
        this.code = code;
        this.valid = valid;
    }

    /** {@return Linux's number, one bit each} */
    public int code() {
        return code;
    }

    /** {@return true if its link address is known, and packets go there ({@code NUD_VALID})} */
    public boolean isValid() {
        return valid;
    }

    /** {@return true if nothing need be done to send ({@code NUD_CONNECTED})} */
    public boolean isConnected() {
        return this == REACHABLE || this == PERMANENT;
    }

    /** True while it is asked again and again. */
    boolean isAsking() {
        return this == INCOMPLETE || this == PROBE;
    }
}
