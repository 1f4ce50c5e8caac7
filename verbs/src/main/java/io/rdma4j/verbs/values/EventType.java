// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.values;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/** Types of asynchronous events (IBA 11.6.3). Correspond to {@code enum ibv_event_type}. */
public enum EventType {
    /** The completion queue is in the error state and accepts no further completions. */
    CQ_ERR("CQ error", Element.CQ),
    /** The queue pair has an error that no completion can report. */
    QP_FATAL("local work queue catastrophic error", Element.QP),
    /** A received request violated the transport protocol. */
    QP_REQ_ERR("invalid request local work queue error", Element.QP),
    /** A received request violated access rights. */
    QP_ACCESS_ERR("local access violation work queue error", Element.QP),
    /** The first packet arrived while the queue pair was in RTR. */
    COMM_EST("communication established", Element.QP),
    /** All requests that were started before SQD are finished. */
    SQ_DRAINED("send queue drained", Element.QP),
    /** The queue pair now uses its alternate path. */
    PATH_MIG("path migrated", Element.QP),
    /** A path migration failed. */
    PATH_MIG_ERR("path migration request error", Element.QP),
    /** The device failed permanently or was removed. */
    DEVICE_FATAL("local catastrophic error", Element.DEVICE),
    /** The port is active. */
    PORT_ACTIVE("port active", Element.PORT),
    /** The port is no longer active. */
    PORT_ERR("port error", Element.PORT),
    /** The subnet manager gave the port another LID. */
    LID_CHANGE("LID change", Element.PORT),
    /** An entry of the P_Key table changed. */
    PKEY_CHANGE("P_Key change", Element.PORT),
    /** Another subnet manager took over. */
    SM_CHANGE("SM change", Element.PORT),
    /** The shared receive queue is in the error state. */
    SRQ_ERR("SRQ catastrophic error", Element.SRQ),
    /** The number of receive requests fell below the limit; raised once each time the limit is set. */
    SRQ_LIMIT_REACHED("SRQ limit reached", Element.SRQ),
    /** A queue pair with a shared receive queue has consumed its last receive request. */
    QP_LAST_WQE_REACHED("last WQE reached", Element.QP),
    /** Clients must register again with the subnet administrator. */
    CLIENT_REREGISTER("client reregistration", Element.PORT),
    /** An entry of the GID table changed. */
    GID_CHANGE("GID table change", Element.PORT),
    /** The work queue is in the error state. */
    WQ_FATAL("WQ fatal", Element.WQ),
    /** The speed of the port changed. */
    DEVICE_SPEED_CHANGE("device speed change", Element.PORT);

    private static final EventType[] BY_CODE = values();

    /**
     * Kinds of objects that events refer to. The kind determines which component of an {@link
     * io.rdma4j.verbs.AsyncEvent} is valid.
     */
    public enum Element {
        /** A completion queue: {@link io.rdma4j.verbs.AsyncEvent#completionQueue} is set. */
        CQ,
        /** A queue pair: {@link io.rdma4j.verbs.AsyncEvent#queuePair} is set. */
        QP,
        /** A shared receive queue: {@link io.rdma4j.verbs.AsyncEvent#sharedReceiveQueue} is set. */
        SRQ,
        /** A work queue. No device of this library raises {@code IBV_EVENT_WQ_FATAL}. */
        WQ,
        /** A port: {@link io.rdma4j.verbs.AsyncEvent#port} is set. */
        PORT,
        /** The device. */
        DEVICE
    }

    private final String text;
    private final Element element;

    EventType(String text, Element element) {
        this.text = text;
        this.element = element;
    }

    /** {@return the value of the C constant} */
    public int code() {
        return ordinal();
    }

    /** {@return the text that {@code ibv_event_type_str} returns} */
    public String text() {
        return text;
    }

    /** {@return the kind of object that the event refers to} */
    public Element element() {
        return element;
    }

    /**
     * {@return true if the event refers to an object of the application (CQ, QP, SRQ or WQ), false if it refers to a
     * port or the device}
     */
    public boolean isAffiliated() {
        return element != Element.PORT && element != Element.DEVICE;
    }

    /**
     * {@return the event type of a C constant}
     *
     * @param code value of {@code enum ibv_event_type}: 0 for {@code IBV_EVENT_CQ_ERR}
     * @throws RdmaException EINVAL if {@code code} is not in 0..20
     */
    public static EventType ofCode(int code) {
        if (code < 0 || code >= BY_CODE.length) {
            throw new RdmaException(Errno.EINVAL, "event type " + code + " is not in 0.." + (BY_CODE.length - 1));
        }
        return BY_CODE[code];
    }
}
