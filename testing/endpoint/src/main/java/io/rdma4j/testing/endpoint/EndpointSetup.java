// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.endpoint;

import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpCreateFlag;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.SignalType;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Attributes of one side of a connection.
 *
 * @param capabilities of the queue pair
 * @param signalType of the queue pair
 * @param cqEntries of each of the two completion queues
 * @param channel of both queues, if any
 * @param memoryBytes size of the region
 * @param remoteRights rights of the peer, both of the region and of the queue pair
 * @param type of the queue pair
 * @param srq shared receive queue, if any
 * @param createFlags of the queue pair
 */
public record EndpointSetup(
        QpCapabilities capabilities,
        SignalType signalType,
        int cqEntries,
        @Nullable CompletionChannel channel,
        int memoryBytes,
        Set<AccessFlag> remoteRights,
        QpType type,
        @Nullable SharedReceiveQueue srq,
        Set<QpCreateFlag> createFlags) {
    /**
     * Moderate queues, requests signalled by flag, 64 KiB of memory, no channel, no rights for the peer; a reliable
     * connection.
     */
    public static final EndpointSetup DEFAULT = new EndpointSetup(
            new QpCapabilities(64, 64, 4, 4, 64),
            SignalType.REQ_WR,
            256,
            null,
            1 << 16,
            Set.of(),
            QpType.RC,
            null,
            Set.of());

    /** The same, with rights for the peer's WRITEs, READs and atomics. */
    public static final EndpointSetup OPEN =
            DEFAULT.remoteRights(Set.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC));

    /**
     * {@return a copy with another capabilities of the queue pair}
     *
     * @param other the new value
     */
    public EndpointSetup capabilities(QpCapabilities other) {
        return new EndpointSetup(
                other, signalType, cqEntries, channel, memoryBytes, remoteRights, type, srq, createFlags);
    }

    /**
     * {@return a copy with another signal type}
     *
     * @param other the new value
     */
    public EndpointSetup signalType(SignalType other) {
        return new EndpointSetup(
                capabilities, other, cqEntries, channel, memoryBytes, remoteRights, type, srq, createFlags);
    }

    /**
     * {@return a copy with another size of the completion queues}
     *
     * @param other the new value
     */
    public EndpointSetup cqEntries(int other) {
        return new EndpointSetup(
                capabilities, signalType, other, channel, memoryBytes, remoteRights, type, srq, createFlags);
    }

    /**
     * {@return a copy with another completion channel}
     *
     * @param other the new value
     */
    public EndpointSetup channel(@Nullable CompletionChannel other) {
        return new EndpointSetup(
                capabilities, signalType, cqEntries, other, memoryBytes, remoteRights, type, srq, createFlags);
    }

    /**
     * {@return a copy with another size of the region}
     *
     * @param other the new value
     */
    public EndpointSetup memoryBytes(int other) {
        return new EndpointSetup(
                capabilities, signalType, cqEntries, channel, other, remoteRights, type, srq, createFlags);
    }

    /**
     * {@return a copy with another rights of the peer}
     *
     * @param other the new value
     */
    public EndpointSetup remoteRights(Set<AccessFlag> other) {
        return new EndpointSetup(
                capabilities, signalType, cqEntries, channel, memoryBytes, Set.copyOf(other), type, srq, createFlags);
    }

    /**
     * {@return a copy with another type of queue pair}
     *
     * @param other the new value
     */
    public EndpointSetup type(QpType other) {
        return new EndpointSetup(
                capabilities, signalType, cqEntries, channel, memoryBytes, remoteRights, other, srq, createFlags);
    }

    /**
     * {@return a copy with another shared receive queue}
     *
     * @param other the new value
     */
    public EndpointSetup srq(SharedReceiveQueue other) {
        return new EndpointSetup(
                capabilities, signalType, cqEntries, channel, memoryBytes, remoteRights, type, other, createFlags);
    }

    /**
     * {@return a copy with another flags}
     *
     * @param others the new value
     */
    public EndpointSetup createFlags(QpCreateFlag... others) {
        return new EndpointSetup(
                capabilities, signalType, cqEntries, channel, memoryBytes, remoteRights, type, srq, Set.of(others));
    }
}
