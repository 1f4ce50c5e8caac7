// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.device;

/** Link layer of a port. Corresponds to {@code IBV_LINK_LAYER_*}. */
public enum LinkLayer {
    /** Obsolete value that means InfiniBand. */
    UNSPECIFIED(0, "InfiniBand"),
    /** InfiniBand ({@code IBV_LINK_LAYER_INFINIBAND}): a path requires a LID, and a GRH beyond the subnet. */
    INFINIBAND(1, "InfiniBand"),
    /** Ethernet, used by RoCE: a path requires a GRH; the LID is 0. */
    ETHERNET(2, "Ethernet");

    private final int code;
    private final String text;

    LinkLayer(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /** {@return the value of the C constant} */
    public int code() {
        return code;
    }

    /** {@return the name that {@code ibv_devinfo} prints} */
    public String text() {
        return text;
    }
}
