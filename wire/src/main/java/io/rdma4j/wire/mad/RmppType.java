// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

import org.jspecify.annotations.Nullable;

/** Types of RMPP segments (IBA 13.6.2.1). */
public enum RmppType {
    /** A segment of a message. */
    DATA(1),
    /** Acknowledges segments and opens the window. */
    ACK(2),
    /** The receiver has no resources. */
    STOP(3),
    /** The transfer ends with an error. */
    ABORT(4);

    private final int code;

    RmppType(int code) {
        this.code = code;
    }

    /** {@return 8 bits} */
    public int code() {
        return code;
    }

    /**
     * {@return the type with this code, or null}
     *
     * @param code 8 bits
     */
    public static @Nullable RmppType of(int code) {
        return code >= DATA.code && code <= ABORT.code ? values()[code - 1] : null;
    }
}
