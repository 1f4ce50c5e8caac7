package io.rdma4j.testing.sim;

/**
 * A slot of a region and how a message lies in it.
 *
 * @param offset of the slot in the region
 * @param slotBytes how long it is, gaps that belong to nobody included
 * @param layout the pieces
 */
record Place(long offset, int slotBytes, Layout layout) {}
