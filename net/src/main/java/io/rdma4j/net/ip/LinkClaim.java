package io.rdma4j.net.ip;

/** What it counts for if somebody says that a neighbour has another link address than the one that is known. */
enum LinkClaim {
    /** Nothing. */
    IGNORED,
    /** The known one is used further, but no longer trusted ({@code NEIGH_UPDATE_F_WEAK_OVERRIDE}). */
    WEAK,
    /** It takes the place of the known one ({@code NEIGH_UPDATE_F_OVERRIDE}). */
    STRONG
}
