// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

/** Phases of the creation of a link by a user ({@code rtnl_link_state}). */
public enum LinkCreation {
    /** The link kind still configures the device ({@code RTNL_LINK_INITIALIZING}); users must wait. */
    INITIALIZING,
    /**
     * The device is configured, or its driver registered it without a user's request ({@code RTNL_LINK_INITIALIZED}).
     */
    INITIALIZED
}
