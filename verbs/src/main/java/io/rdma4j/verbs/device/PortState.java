// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.device;

/** Logical state of a port's link (IBA 7.2.7). Corresponds to {@code enum ibv_port_state}. */
public enum PortState {
    /** Reserved; in a management request it keeps the present state. */
    NOP(0, "no state change (NOP)"),
    /** The link is down: no packet passes. */
    DOWN(1, "down"),
    /** The physical link is up; the subnet manager has not begun to configure the port. */
    INIT(2, "init"),
    /** The subnet manager has begun to configure the port and has not finished. */
    ARMED(3, "armed"),
    /** Ready for traffic. */
    ACTIVE(4, "active"),
    /** Active, but the physical link failed and recovers. */
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

    /** {@return the text of {@code ibv_port_state_str}} */
    public String text() {
        return text;
    }

    /** {@return the text of {@code ibv_devinfo}, such as {@code PORT_ACTIVE}} */
    public String label() {
        return "PORT_" + name();
    }
}
