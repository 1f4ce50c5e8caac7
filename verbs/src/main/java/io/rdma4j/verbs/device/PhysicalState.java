// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.device;

/** Physical state of a port (IBA 14.2.5.6). Corresponds to {@code phys_state} of {@code ibv_port_attr}. */
public enum PhysicalState {
    /** Powered down; waits for management. */
    SLEEP(1, "SLEEP"),
    /** Transmits training patterns and waits for the peer's response. */
    POLLING(2, "POLLING"),
    /** Disabled by management: neither transmits nor receives. */
    DISABLED(3, "DISABLED"),
    /** Link training. The text keeps the misspelling of {@code ibv_devinfo}, because scripts match it. */
    PORT_CONFIGURATION_TRAINING(4, "PORT_CONFIGURATION TRAINNING"),
    /** The lanes are trained: packets can pass. */
    LINK_UP(5, "LINK_UP"),
    /** The link was up and is trained again after errors. */
    LINK_ERROR_RECOVERY(6, "LINK_ERROR_RECOVERY"),
    /** The transmitter sends test patterns for measurements. */
    PHY_TEST(7, "PHY TEST");

    private final int code;
    private final String text;

    PhysicalState(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /** {@return the number in C and in PortInfo} */
    public int code() {
        return code;
    }

    /** {@return it as {@code ibv_devinfo} prints it} */
    public String text() {
        return text;
    }
}
