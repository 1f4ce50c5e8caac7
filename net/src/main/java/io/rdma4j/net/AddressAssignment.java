package io.rdma4j.net;

/** Where a device has its link address from ({@code dev->addr_assign_type}). */
public enum AddressAssignment {
    /** It was made with it ({@code NET_ADDR_PERM}). */
    PERMANENT(0),
    /** Drawn by lot ({@code NET_ADDR_RANDOM}). */
    RANDOM(1),
    /** Given by {@link NetDevice#setMacAddress} ({@code NET_ADDR_SET}). */
    SET(3);

    private final int code;

    AddressAssignment(int code) {
        this.code = code;
    }

    /** {@return Linux's number} */
    public int code() {
        return code;
    }
}
