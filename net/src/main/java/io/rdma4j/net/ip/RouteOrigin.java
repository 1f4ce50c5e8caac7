package io.rdma4j.net.ip;

/** Who made a route ({@code rtm_protocol}). */
public enum RouteOrigin {
    /** It follows from the addresses of a device, and goes with them ({@code RTPROT_KERNEL}). */
    KERNEL,
    /** Somebody asked for it ({@code RTPROT_STATIC}). */
    STATIC
}
