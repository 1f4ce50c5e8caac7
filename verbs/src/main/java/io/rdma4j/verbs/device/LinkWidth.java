// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.device;

/** Number of lanes of a port. Corresponds to {@code active_width} of {@code ibv_port_attr}. */
public enum LinkWidth {
    /** 1X: one lane; software RoCE devices report this width. */
    X1(1, "1"),
    /** 4X: four lanes. */
    X4(2, "4"),
    /** 8X: eight lanes. */
    X8(4, "8"),
    /** 12X: twelve lanes. */
    X12(8, "12"),
    /** 2X: two lanes; added last, therefore out of order. */
    X2(16, "2");

    private final int code;
    private final String text;

    LinkWidth(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /** {@return the value of the C constant} */
    public int code() {
        return code;
    }

    /** {@return the number of lanes as tools print it} */
    public String text() {
        return text;
    }

    /** {@return the number of lanes} Corresponds to {@code ib_width_enum_to_int}. */
    public int lanes() {
        return Integer.parseInt(text);
    }
}
