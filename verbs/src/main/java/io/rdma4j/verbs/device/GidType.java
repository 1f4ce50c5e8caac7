// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.device;

/** Packet format of a GID table entry. Corresponds to {@code enum ibv_gid_type}. */
public enum GidType {
    /** InfiniBand packets. */
    IB(0, "IB"),
    /** Ethernet frames of EtherType 0x8915 with a GRH. */
    ROCE_V1(1, "RoCE v1"),
    /** UDP datagrams to port 4791. */
    ROCE_V2(2, "RoCE v2");

    private final int code;
    private final String text;

    GidType(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /** {@return the value of the C constant} */
    public int code() {
        return code;
    }

    /** {@return the name that tools print} */
    public String text() {
        return text;
    }
}
