package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/** What an asynchronous event reports (IBA 11.6.3). Answers to {@code enum ibv_event_type}. */
public enum EventType {
    /** The CQ is broken; no further completions. */
    CQ_ERR("CQ error", Element.CQ),
    /** An error that no completion can report. */
    QP_FATAL("local work queue catastrophic error", Element.QP),
    /** An incoming request broke the rules of the transport. */
    QP_REQ_ERR("invalid request local work queue error", Element.QP),
    /** An incoming request broke access rights. */
    QP_ACCESS_ERR("local access violation work queue error", Element.QP),
    /** The first packet arrived while the QP was in RTR. */
    COMM_EST("communication established", Element.QP),
    /** What had been begun in SQD is finished. */
    SQ_DRAINED("send queue drained", Element.QP),
    /** The queue pair now uses its alternate path. */
    PATH_MIG("path migrated", Element.QP),
    /** A migration failed. */
    PATH_MIG_ERR("path migration request error", Element.QP),
    /** The device is beyond help. */
    DEVICE_FATAL("local catastrophic error", Element.DEVICE),
    /** The port takes traffic. */
    PORT_ACTIVE("port active", Element.PORT),
    /** The port takes no traffic any more. */
    PORT_ERR("port error", Element.PORT),
    /** The subnet manager gave the port another LID. */
    LID_CHANGE("LID change", Element.PORT),
    /** An entry of the P_Key table changed. */
    PKEY_CHANGE("P_Key change", Element.PORT),
    /** Another subnet manager took over. */
    SM_CHANGE("SM change", Element.PORT),
    /** The shared receive queue is broken. */
    SRQ_ERR("SRQ catastrophic error", Element.SRQ),
    /** Fires once for each arming of the limit. */
    SRQ_LIMIT_REACHED("SRQ limit reached", Element.SRQ),
    /** A QP with a shared receive queue has taken its last receive. */
    QP_LAST_WQE_REACHED("last WQE reached", Element.QP),
    /** Clients must register again with the subnet administrator. */
    CLIENT_REREGISTER("client reregistration", Element.PORT),
    /** An entry of the GID table changed. */
    GID_CHANGE("GID table change", Element.PORT),
    /** The work queue is broken. */
    WQ_FATAL("WQ fatal", Element.WQ),
    /** The rate of the port changed. */
    DEVICE_SPEED_CHANGE("device speed change", Element.PORT);

    private static final EventType[] BY_CODE = values();

    /** The kind of object an event concerns: says which part of an {@link AsyncEvent} is valid. */
    public enum Element {
        /** A completion queue: {@link AsyncEvent#completionQueue} is set. */
        CQ,
        /** A queue pair: {@link AsyncEvent#queuePair} is set. */
        QP,
        /** A shared receive queue: {@link AsyncEvent#sharedReceiveQueue} is set. */
        SRQ,
        /** A work queue, whose {@code IBV_EVENT_WQ_FATAL} no device here raises. */
        WQ,
        /** A port: {@link AsyncEvent#port} is set. */
        PORT,
        /** The device itself. */
        DEVICE
    }

    private final String text;
    private final Element element;

    EventType(String text, Element element) {
        this.text = text;
        this.element = element;
    }

    /** {@return the number in C} */
    public int code() {
        return ordinal();
    }

    /** {@return what {@code ibv_event_type_str} says} */
    public String text() {
        return text;
    }

    /** {@return the kind of object the event concerns} */
    public Element element() {
        return element;
    }

    /** {@return true if it concerns one object of the program (a CQ, QP, SRQ, WQ), false if a port or the device} */
    public boolean isAffiliated() {
        return element != Element.PORT && element != Element.DEVICE;
    }

    /**
     * {@return the event of a number of {@code enum ibv_event_type}}
     *
     * @param code 0 for {@code IBV_EVENT_CQ_ERR} and so on
     * @throws RdmaException EINVAL if {@code code} is not in 0..20
     */
    public static EventType ofCode(int code) {
        if (code < 0 || code >= BY_CODE.length) {
            throw new RdmaException(Errno.EINVAL, "event type " + code + " is not in 0.." + (BY_CODE.length - 1));
        }
        return BY_CODE[code];
    }
}
