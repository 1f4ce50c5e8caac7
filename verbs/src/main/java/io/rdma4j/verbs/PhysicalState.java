package io.rdma4j.verbs;

/** Physical state of a port (IBA 14.2.5.6). Answers to {@code phys_state} of {@code ibv_port_attr}. */
public enum PhysicalState {
    /** Powered down; waits for management. */
    SLEEP(1, "SLEEP"),
    /** Sends training patterns and waits for a peer that answers. */
    POLLING(2, "POLLING"),
    /** Switched off by management: does not send, and hears nothing. */
    DISABLED(3, "DISABLED"),
    /** {@code ibv_devinfo} misspells it so; scripts match on the text. */
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
