package io.rdma4j.verbs;

/** Physical state of a port (IBA 14.2.5.6). Answers to {@code phys_state} of {@code ibv_port_attr}. */
public enum PhysicalState {
    SLEEP(1, "SLEEP"),
    POLLING(2, "POLLING"),
    DISABLED(3, "DISABLED"),
    /** {@code ibv_devinfo} misspells it so; scripts match on the text. */
    PORT_CONFIGURATION_TRAINING(4, "PORT_CONFIGURATION TRAINNING"),
    LINK_UP(5, "LINK_UP"),
    LINK_ERROR_RECOVERY(6, "LINK_ERROR_RECOVERY"),
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

    /** As {@code ibv_devinfo} prints it. */
    public String text() {
        return text;
    }
}
