// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

import org.jspecify.annotations.Nullable;

/**
 * Reasons of a {@link CmRej} (IBA 12.6.7.2), {@code enum ib_cm_rej_reason}; the text is that of {@code
 * rdma_reject_msg}.
 */
public enum RejectReason {
    /** No queue pair is available. */
    NO_QP(1, "no QP"),
    /** No end-to-end context is available. */
    NO_EEC(2, "no EEC"),
    /** No resources are available. */
    NO_RESOURCES(3, "no resources"),
    /** The peer did not answer in time. */
    TIMEOUT(4, "timeout"),
    /** The request is not supported. */
    UNSUPPORTED(5, "unsupported"),
    /** The communication ID is unknown. */
    INVALID_COMM_ID(6, "invalid comm ID"),
    /** The communication instance is unknown. */
    INVALID_COMM_INSTANCE(7, "invalid comm instance"),
    /** No program listens for the service. */
    INVALID_SERVICE_ID(8, "invalid service ID"),
    /** The transport service type does not fit. */
    INVALID_TRANSPORT_TYPE(9, "invalid transport type"),
    /** The peer has a connection with the same queue pair. */
    STALE_CONNECTION(10, "stale conn"),
    /** There is no reliable datagram channel. */
    RDC_NOT_EXIST(11, "RDC not exist"),
    /** The GID of the primary path is rejected. */
    INVALID_GID(12, "invalid GID"),
    /** The LID of the primary path is rejected. */
    INVALID_LID(13, "invalid LID"),
    /** The service level of the primary path is rejected. */
    INVALID_SL(14, "invalid SL"),
    /** The traffic class of the primary path is rejected. */
    INVALID_TRAFFIC_CLASS(15, "invalid traffic class"),
    /** The hop limit of the primary path is rejected. */
    INVALID_HOP_LIMIT(16, "invalid hop limit"),
    /** The packet rate of the primary path is rejected. */
    INVALID_PACKET_RATE(17, "invalid packet rate"),
    /** The GID of the alternate path is rejected. */
    INVALID_ALT_GID(18, "invalid alt GID"),
    /** The LID of the alternate path is rejected. */
    INVALID_ALT_LID(19, "invalid alt LID"),
    /** The service level of the alternate path is rejected. */
    INVALID_ALT_SL(20, "invalid alt SL"),
    /** The traffic class of the alternate path is rejected. */
    INVALID_ALT_TRAFFIC_CLASS(21, "invalid alt traffic class"),
    /** The hop limit of the alternate path is rejected. */
    INVALID_ALT_HOP_LIMIT(22, "invalid alt hop limit"),
    /** The packet rate of the alternate path is rejected. */
    INVALID_ALT_PACKET_RATE(23, "invalid alt packet rate"),
    /** Another port has the CM; the information is a {@link ClassPortInfo}. */
    PORT_CM_REDIRECT(24, "port CM redirect"),
    /** Another port; the information is its GID. */
    PORT_REDIRECT(25, "port redirect"),
    /** The path MTU is rejected. */
    INVALID_MTU(26, "invalid MTU"),
    /** The responder resources do not suffice. */
    INSUFFICIENT_RESP_RESOURCES(27, "insufficient resp resources"),
    /** The program rejects. */
    CONSUMER_DEFINED(28, "consumer defined"),
    /** The RNR retry count is rejected. */
    INVALID_RNR_RETRY(29, "invalid RNR retry"),
    /** The communication ID is in use. */
    DUPLICATE_LOCAL_COMM_ID(30, "duplicate local comm ID"),
    /** The class version is not supported. */
    INVALID_CLASS_VERSION(31, "invalid class version"),
    /** The flow label of the primary path is rejected. */
    INVALID_FLOW_LABEL(32, "invalid flow label"),
    /** The flow label of the alternate path is rejected. */
    INVALID_ALT_FLOW_LABEL(33, "invalid alt flow label"),
    /** An option of the enhanced connection establishment is rejected. */
    VENDOR_OPTION_NOT_SUPPORTED(35, "vendor option not supported");

    private final int code;
    private final String text;

    RejectReason(int code, String text) {
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
    public static @Nullable RejectReason of(int code) {
        for (RejectReason value : values()) {
            if (value.code == code) {
                return value;
            }
        }
        return null;
    }
}
