// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.address;

/** Source of a device's link address ({@code dev->addr_assign_type}). */
public enum AddressAssignment {
    /** Permanent address, set when the device was created ({@code NET_ADDR_PERM}). */
    PERMANENT(0),
    /** Random address ({@code NET_ADDR_RANDOM}). */
    RANDOM(1),
    /** Set by {@code NetDevice.setMacAddress} ({@code NET_ADDR_SET}). */
    SET(3);

    private final int code;

    AddressAssignment(int code) {
        this.code = code;
    }

    /** {@return the Linux constant's value} */
    public int code() {
        return code;
    }
}
