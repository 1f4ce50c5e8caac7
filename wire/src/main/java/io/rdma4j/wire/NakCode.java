// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire;

import org.jspecify.annotations.Nullable;

/** The reason of a NAK (IBA 9.7.5.2); the lower five bits of its {@link Syndrome}. */
public enum NakCode {
    /** Packets are missing: the NAK contains the expected PSN, from which the requester sends again. */
    PSN_SEQUENCE_ERROR(0, "PSN sequence error"),
    /** The request violates the protocol or is not enabled. */
    INVALID_REQUEST(1, "invalid request"),
    /** Remote key, range or permission do not match. */
    REMOTE_ACCESS_ERROR(2, "remote access error"),
    /** The responder could not execute the request because of a local error. */
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

    /** {@return the code in a syndrome, 5 bits} */
    public int code() {
        return code;
    }

    /** {@return the reason as text} */
    public String text() {
        return text;
    }

    /**
     * {@return the reason with a code, or null if the code is reserved}
     *
     * @param code 5 bits, not negative
     */
    public static @Nullable NakCode of(int code) {
        return code < BY_CODE.length ? BY_CODE[code] : null;
    }
}
