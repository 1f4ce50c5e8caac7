// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

/**
 * A slot of a region and the layout of a message in it.
 *
 * @param offset of the slot in the region
 * @param slotBytes length, including unused gaps
 * @param layout the segments
 */
public record Slot(long offset, int slotBytes, Layout layout) {}
