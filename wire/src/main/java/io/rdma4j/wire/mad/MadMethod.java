// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

import org.jspecify.annotations.Nullable;

/** Methods of management datagrams (IBA 13.4.5, 15.2.2). A response has the same code with {@link #RESPONSE}. */
public enum MadMethod {
    /** Reads an attribute. */
    GET(0x01, "Get"),
    /** Writes an attribute; the response is a GetResp. */
    SET(0x02, "Set"),
    /** A message without a response at this layer, such as those of the CM. */
    SEND(0x03, "Send"),
    /** A notice of an agent. */
    TRAP(0x05, "Trap"),
    /** A notice of the subnet administrator to a subscriber. */
    REPORT(0x06, "Report"),
    /** Acknowledges a Trap. */
    TRAP_REPRESS(0x07, "TrapRepress"),
    /** Reads all records that match. */
    GET_TABLE(0x12, "GetTable"),
    /** Reads the records of a path. */
    GET_TRACE_TABLE(0x13, "GetTraceTable"),
    /** A request of several datagrams. */
    GET_MULTI(0x14, "GetMulti"),
    /** Deletes a record. */
    DELETE(0x15, "Delete");

    /** The bit of a response. */
    public static final int RESPONSE = 0x80;

    private final int code;
    private final String label;

    MadMethod(int code, String label) {
        this.code = code;
        this.label = label;
    }

    /** {@return the code of the request, 7 bits} */
    public int code() {
        return code;
    }

    /** {@return the code of the response, 8 bits} */
    public int responseCode() {
        return code | RESPONSE;
    }

    /**
     * {@return the method of a request or of its response, or null if the code is unknown}
     *
     * @param code 8 bits
     */
    public static @Nullable MadMethod of(int code) {
        for (MadMethod method : values()) {
            if (method.code == (code & ~RESPONSE)) {
                return method;
            }
        }
        return null;
    }

    /**
     * {@return the name of a code in the specification, such as {@code GetResp}}
     *
     * @param code 8 bits
     */
    public static String text(int code) {
        MadMethod method = of(code);
        if (method == null) {
            return "method-0x" + Integer.toHexString(code);
        }
        return (code & RESPONSE) == 0 ? method.label : method.label + "Resp";
    }
}
