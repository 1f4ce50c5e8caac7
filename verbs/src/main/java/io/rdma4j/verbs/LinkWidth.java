package io.rdma4j.verbs;

/** Lanes of a port. Answers to {@code active_width} of {@code ibv_port_attr}. */
public enum LinkWidth {
    /** 1X: one lane, what RoCE devices in software say. */
    X1(1, "1"),
    /** 4X: four lanes. */
    X4(2, "4"),
    /** 8X: eight lanes. */
    X8(4, "8"),
    /** 12X: twelve lanes. */
    X12(8, "12"),
    /** 2X: two lanes; the youngest, hence the number. */
    X2(16, "2");

    private final int code;
    private final String text;

    LinkWidth(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /** {@return the number in C} */
    public int code() {
        return code;
    }

    /** {@return the number of lanes as tools print it} */
    public String text() {
        return text;
    }

    /** {@return number of lanes} Answers to {@code ib_width_enum_to_int}. */
    public int lanes() {
        return Integer.parseInt(text);
    }
}
