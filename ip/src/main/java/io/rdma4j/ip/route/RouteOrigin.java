// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip.route;

/** Reason for which a route exists ({@code rtm_protocol}). */
public enum RouteOrigin {
    /** It follows from an address of a device, and is removed with it ({@code RTPROT_KERNEL}). */
    KERNEL,
    /** The application added it ({@code RTPROT_STATIC}). */
    STATIC
}
