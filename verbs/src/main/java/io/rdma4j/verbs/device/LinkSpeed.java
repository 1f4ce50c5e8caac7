// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.device;

/** Signalling rate of one lane. Corresponds to {@code active_speed} of {@code ibv_port_attr}. */
public enum LinkSpeed {
    /** 2.5 Gbit/s, of which 2 Gbit/s are data. */
    SDR(1, "2.5 Gbps"),
    /** 5 Gbit/s, of which 4 Gbit/s are data. */
    DDR(2, "5.0 Gbps"),
    /** 10 Gbit/s, of which 8 Gbit/s are data. */
    QDR(4, "10.0 Gbps"),
    /** 10.3125 Gbit/s. */
    FDR10(8, "10.0 Gbps"),
    /** 14.0625 Gbit/s. */
    FDR(16, "14.0 Gbps"),
    /** 25.78125 Gbit/s. */
    EDR(32, "25.0 Gbps"),
    /** 53.125 Gbit/s. */
    HDR(64, "50.0 Gbps");

    private final int code;
    private final String text;

    LinkSpeed(int code, String text) {
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
