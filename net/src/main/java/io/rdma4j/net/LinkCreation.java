package io.rdma4j.net;

/** The two phases in which a link is made for a user ({@code rtnl_link_state}). */
public enum LinkCreation {
    /** Its kind still configures it ({@code RTNL_LINK_INITIALIZING}): users are to wait. */
    INITIALIZING,
    /** It is what was asked for, or nobody asked and its driver registered it ({@code RTNL_LINK_INITIALIZED}). */
    INITIALIZED
}
