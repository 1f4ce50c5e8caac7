// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca;

import io.rdma4j.packet.SkBuff;
import java.util.function.Predicate;

/** The packets of a port that wait to be sent. */
@FunctionalInterface
public interface WaitingPackets {
    /**
     * Drops the waiting packets for which {@code condition} is true. They point into revoked memory that the device
     * must not read any more. For the owner of the loop.
     */
    void dropWaiting(Predicate<SkBuff> condition);
}
