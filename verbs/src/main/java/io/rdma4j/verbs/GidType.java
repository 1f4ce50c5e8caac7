package io.rdma4j.verbs;

/** How packets that use a GID table entry are framed. Answers to {@code enum ibv_gid_type}. */
public enum GidType {
    /** InfiniBand link. */
    IB(0, "IB"),
    /** EtherType 0x8915 with a GRH. */
    ROCE_V1(1, "RoCE v1"),
    /** UDP port 4791. */
    ROCE_V2(2, "RoCE v2");

    private final int code;
    private final String text;

    GidType(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /** {@return the number in C} */
    public int code() {
        return code;
    }

    /** {@return it as tools print it} */
    public String text() {
        return text;
    }
}
