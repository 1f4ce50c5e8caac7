// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

/** How addresses are looked up. Corresponds to the {@code RAI_} constants of {@code ai_flags}. */
public enum AddressFlag {
    /** The addresses are for a listener: they are own addresses. */
    PASSIVE,
    /** The node is an address, not a name. */
    NUMERIC_HOST,
    /** The route is not looked up. Without effect on RoCE: the path follows from the addresses. */
    NO_ROUTE,
    /** The family of the hints counts. Without it a family of the hints restricts the addresses, too. */
    FAMILY,
    /** The subnet administrator is asked for a service of this name. Needs an InfiniBand link. */
    SA,
    /** The name service is asked: {@link RdmaId#resolveAddressInfo}. */
    DNS
}
