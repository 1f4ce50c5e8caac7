package io.rdma4j.wire;

import org.jspecify.annotations.Nullable;

/** Why a responder refuses (IBA 9.7.5.2); the lower five bits of a NAK's {@link Syndrome}. */
public enum NakCode {
    /** Packets are missing: the NAK carries the PSN that was expected; the requester goes back to it. */
    PSN_SEQUENCE_ERROR(0, "PSN sequence error"),
    /** The request breaks a rule of the protocol or is not enabled. */
    INVALID_REQUEST(1, "invalid request"),
    /** Remote key, range or permission do not fit. */
    REMOTE_ACCESS_ERROR(2, "remote access error"),
    /** The responder could not do it, by its own fault. */
    REMOTE_OPERATIONAL_ERROR(3, "remote operational error"),
    /** Reliable datagrams only. */
    INVALID_RD_REQUEST(4, "invalid RD request");

    private static final NakCode[] BY_CODE = values();

    private final int code;
    private final String text;

    NakCode(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /** {@return its number in a syndrome: 5 bits} */
    public int code() {
        return code;
    }

    /** {@return the reason in words, for people} */
    public String text() {
        return text;
    }

    /**
     * {@return the reason with this number (not negative), or null if it is reserved}
     *
     * @param code 5 bits, not negative
     */
    public static @Nullable NakCode of(int code) {
        return code < BY_CODE.length ? BY_CODE[code] : null;
    }
}
