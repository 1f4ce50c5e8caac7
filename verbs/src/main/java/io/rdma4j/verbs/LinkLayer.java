package io.rdma4j.verbs;

/** What carries the packets of a port. Answers to {@code IBV_LINK_LAYER_*}. */
public enum LinkLayer {
    /** Legacy: means InfiniBand. */
    UNSPECIFIED(0, "InfiniBand"),
    /** {@code IBV_LINK_LAYER_INFINIBAND}: a path needs a LID, and a GRH beyond the subnet. */
    INFINIBAND(1, "InfiniBand"),
    /** RoCE: a path needs a GRH, the LID is 0. */
    ETHERNET(2, "Ethernet");

    private final int code;
    private final String text;

    LinkLayer(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /** {@return the number in C} */
    public int code() {
        return code;
    }

    /** {@return it as {@code ibv_devinfo} prints it} */
    public String text() {
        return text;
    }
}
