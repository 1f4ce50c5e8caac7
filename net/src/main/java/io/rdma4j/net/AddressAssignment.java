package io.rdma4j.net;

/** Where a device has its link address from ({@code dev->addr_assign_type}). */
public enum AddressAssignment {
    /** It was made with it ({@code NET_ADDR_PERM}). */
    PERMANENT,
    /** Drawn by lot ({@code NET_ADDR_RANDOM}). */
    RANDOM,
    /** Given by {@link NetDevice#setMacAddress} ({@code NET_ADDR_SET}). */
    SET
}
