// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.device;

/** Events of a device ({@code enum netdev_cmd}). */
public enum NetDeviceEvent {
    /**
     * The device was registered in a namespace ({@code NETDEV_REGISTER}). A listener of the host can reject it with an
     * exception.
     */
    REGISTER,
    /** Its name changed ({@code NETDEV_CHANGENAME}). */
    NAME_CHANGE,
    /** It was brought up ({@code NETDEV_UP}). */
    UP,
    /** It was brought down ({@code NETDEV_DOWN}). */
    DOWN,
    /** The link gained or lost its carrier, or its operational state changed ({@code NETDEV_CHANGE}). */
    CARRIER_CHANGE,
    /** The MTU changed ({@code NETDEV_CHANGEMTU}). */
    MTU_CHANGE,
    /** The active features changed ({@code NETDEV_FEAT_CHANGE}). */
    FEATURES_CHANGE,
    /** A user changed flags while it was up ({@code NETDEV_CHANGE}). */
    FLAGS_CHANGE,
    /** The link address changed ({@code NETDEV_CHANGEADDR}). */
    MAC_CHANGE,
    /** The list of IP addresses changed ({@code inetaddr_chain}). */
    ADDRESS_CHANGE,
    /** It is being unregistered ({@code NETDEV_UNREGISTER}); it is already down. */
    UNREGISTER
}
