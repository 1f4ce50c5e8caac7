// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

import org.jspecify.annotations.Nullable;

/** Status of a {@link CmApr} (IBA 12.8.2), {@code enum ib_cm_apr_status}. */
public enum AlternatePathStatus {
    /** The path is loaded. */
    SUCCESS(0, "accepted"),
    /** The communication ID is unknown. */
    INVALID_COMM_ID(1, "invalid comm ID"),
    /** Alternate paths are not supported. */
    UNSUPPORTED(2, "unsupported"),
    /** The program rejects. */
    REJECT(3, "rejected"),
    /** Another place. */
    REDIRECT(4, "redirect"),
    /** The path is in use already. */
    IS_CURRENT(5, "is current"),
    /** The queue pair does not belong to the connection. */
    INVALID_QPN(6, "invalid QPN"),
    /** The LID is rejected. */
    INVALID_LID(7, "invalid LID"),
    /** The GID is rejected. */
    INVALID_GID(8, "invalid GID"),
    /** The flow label is rejected. */
    INVALID_FLOW_LABEL(9, "invalid flow label"),
    /** The traffic class is rejected. */
    INVALID_TRAFFIC_CLASS(10, "invalid traffic class"),
    /** The hop limit is rejected. */
    INVALID_HOP_LIMIT(11, "invalid hop limit"),
    /** The packet rate is rejected. */
    INVALID_PACKET_RATE(12, "invalid packet rate"),
    /** The service level is rejected. */
    INVALID_SL(13, "invalid SL");

    private final int code;
    private final String text;

    AlternatePathStatus(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /** {@return the code on the wire} */
    public int code() {
        return code;
    }

    /** {@return a short description, as programs print it} */
    public String text() {
        return text;
    }

    /**
     * {@return the constant of a code, or null}
     *
     * @param code as on the wire
     */
    public static @Nullable AlternatePathStatus of(int code) {
        for (AlternatePathStatus value : values()) {
            if (value.code == code) {
                return value;
            }
        }
        return null;
    }
}
