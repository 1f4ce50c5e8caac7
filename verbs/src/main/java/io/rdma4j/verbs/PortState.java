package io.rdma4j.verbs;

/** Logical state of a port's link (IBA 7.2.7). Answers to {@code enum ibv_port_state}. */
public enum PortState {
    /** Reserved; in a management request "leave the state as it is". */
    NOP(0, "no state change (NOP)"),
    /** The link is down: no packet passes. */
    DOWN(1, "down"),
    /** The physical link is up, the subnet manager has not begun to configure it. */
    INIT(2, "init"),
    /** The subnet manager has begun to configure the port and has not finished. */
    ARMED(3, "armed"),
    /** Ready for traffic. */
    ACTIVE(4, "active"),
    /** Active, but the physical link went down and tries to recover. */
    ACTIVE_DEFER(5, "active defer");

    private final int code;
    private final String text;

    PortState(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /** {@return the number in C and in PortInfo} */
    public int code() {
        return code;
    }

    /** {@return what {@code ibv_port_state_str} says} */
    public String text() {
        return text;
    }

    /** {@return it as {@code ibv_devinfo} prints it: {@code PORT_ACTIVE}} */
    public String label() {
        return "PORT_" + name();
    }
}
