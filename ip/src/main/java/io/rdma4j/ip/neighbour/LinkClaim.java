// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip.neighbour;

/** Weight of a packet that gives a neighbour another link address than the known one. */
enum LinkClaim {
    /** The other address is ignored. */
    IGNORED,
    /** The known address stays in use, but the neighbour becomes stale ({@code NEIGH_UPDATE_F_WEAK_OVERRIDE}). */
    WEAK,
    /** The other address replaces the known one ({@code NEIGH_UPDATE_F_OVERRIDE}). */
    STRONG
}
