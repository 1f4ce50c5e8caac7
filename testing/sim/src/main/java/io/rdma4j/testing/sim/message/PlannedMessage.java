// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.message;

/**
 * A message of the plan; sender and receiver use the same one.
 *
 * @param index number in its direction, from 0
 * @param key determines its bytes, together with their offset
 * @param length bytes
 * @param hasImmediate whether it carries immediate data
 * @param immediate the immediate data
 * @param inline whether its bytes are copied while posting
 * @param signaled whether the sender requests a completion
 * @param solicited whether it is marked as solicited
 */
public record PlannedMessage(
        int index,
        long key,
        int length,
        boolean hasImmediate,
        int immediate,
        boolean inline,
        boolean signaled,
        boolean solicited) {}
