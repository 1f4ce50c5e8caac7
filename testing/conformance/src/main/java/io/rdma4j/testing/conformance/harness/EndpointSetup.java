package io.rdma4j.testing.conformance.harness;

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

    public EndpointSetup capabilities(QpCapabilities other) {
        return new EndpointSetup(
                other, signalType, cqEntries, channel, memoryBytes, remoteRights, type, srq, createFlags);
    }

    public EndpointSetup signalType(SignalType other) {
        return new EndpointSetup(
                capabilities, other, cqEntries, channel, memoryBytes, remoteRights, type, srq, createFlags);
    }

    public EndpointSetup cqEntries(int other) {
        return new EndpointSetup(
                capabilities, signalType, other, channel, memoryBytes, remoteRights, type, srq, createFlags);
    }

    public EndpointSetup channel(@Nullable CompletionChannel other) {
        return new EndpointSetup(
                capabilities, signalType, cqEntries, other, memoryBytes, remoteRights, type, srq, createFlags);
    }

    public EndpointSetup memoryBytes(int other) {
        return new EndpointSetup(
                capabilities, signalType, cqEntries, channel, other, remoteRights, type, srq, createFlags);
    }

    public EndpointSetup remoteRights(Set<AccessFlag> other) {
        return new EndpointSetup(
                capabilities, signalType, cqEntries, channel, memoryBytes, Set.copyOf(other), type, srq, createFlags);
    }

    public EndpointSetup type(QpType other) {
        return new EndpointSetup(
                capabilities, signalType, cqEntries, channel, memoryBytes, remoteRights, other, srq, createFlags);
    }

    public EndpointSetup srq(SharedReceiveQueue other) {
        return new EndpointSetup(
                capabilities, signalType, cqEntries, channel, memoryBytes, remoteRights, type, other, createFlags);
    }

    public EndpointSetup createFlags(QpCreateFlag... others) {
        return new EndpointSetup(
                capabilities, signalType, cqEntries, channel, memoryBytes, remoteRights, type, srq, Set.of(others));
    }
}
