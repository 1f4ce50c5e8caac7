package io.rdma4j.net;

/** What happened to a device ({@code enum netdev_cmd}). */
public enum NetDeviceEvent {
    /** A namespace has it now ({@code NETDEV_REGISTER}); who follows the host may refuse it by an exception. */
    REGISTER,
    /** It has another name ({@code NETDEV_CHANGENAME}). */
    NAME_CHANGE,
    /** It was brought up ({@code NETDEV_UP}). */
    UP,
    /** It was taken down ({@code NETDEV_DOWN}). */
    DOWN,
    /** The carrier came or went ({@code NETDEV_CHANGE}). */
    CARRIER_CHANGE,
    /** The MTU changed ({@code NETDEV_CHANGEMTU}). */
    MTU_CHANGE,
    /** Other features are active ({@code NETDEV_FEAT_CHANGE}). */
    FEATURES_CHANGE,
    /** A user changed flags while it was up ({@code NETDEV_CHANGE}). */
    FLAGS_CHANGE,
    /** The link address changed ({@code NETDEV_CHANGEADDR}). */
    MAC_CHANGE,
    /** The list of addresses changed ({@code inetaddr_chain}). */
    ADDRESS_CHANGE,
    /** It is going away for good ({@code NETDEV_UNREGISTER}); it is down already. */
    UNREGISTER
}
