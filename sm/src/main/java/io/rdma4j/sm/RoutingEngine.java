// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm;

/** How a subnet manager computes the forwarding tables of unicast LIDs. */
public enum RoutingEngine {
    /** Shortest paths with an equal number of LIDs on each of them. Free of credit loops on trees only. */
    MIN_HOP,
    /**
     * Shortest paths that never go up, towards a root, after they have gone down. Free of credit loops. The roots are
     * those of the options, or the switch from which the farthest one has the fewest hops.
     */
    UP_DOWN,
    /**
     * Shortest paths of a fat tree, on which the destinations of a leaf go up by different switches. On another
     * topology {@link #MIN_HOP} is used.
     */
    FAT_TREE,
    /**
     * Shortest paths by the lowest port: the dimensions of a mesh one after the other, if the cables of each dimension
     * are at the same ports everywhere. Free of credit loops on meshes and hypercubes, not on rings and tori.
     */
    DIMENSION_ORDER
}
