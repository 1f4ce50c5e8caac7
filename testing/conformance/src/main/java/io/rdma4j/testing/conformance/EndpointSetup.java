package io.rdma4j.testing.conformance;

import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.QpCapabilities;
import io.rdma4j.verbs.SignalType;
import org.jspecify.annotations.Nullable;

/**
 * How one side of a connection is made.
 *
 * @param capabilities of the queue pair
 * @param signalType of the queue pair
 * @param cqEntries of each of the two completion queues
 * @param channel of both, if any
 * @param memoryBytes of the one region
 */
public record EndpointSetup(
        QpCapabilities capabilities,
        SignalType signalType,
        int cqEntries,
        @Nullable CompletionChannel channel,
        int memoryBytes) {
    /** Moderate queues, requests signalled on request, 64 KiB of memory, no channel. */
    public static final EndpointSetup DEFAULT =
            new EndpointSetup(new QpCapabilities(64, 64, 4, 4, 64), SignalType.REQ_WR, 256, null, 1 << 16);

    public EndpointSetup capabilities(QpCapabilities other) {
        return new EndpointSetup(other, signalType, cqEntries, channel, memoryBytes);
    }

    public EndpointSetup signalType(SignalType other) {
        return new EndpointSetup(capabilities, other, cqEntries, channel, memoryBytes);
    }

    public EndpointSetup cqEntries(int other) {
        return new EndpointSetup(capabilities, signalType, other, channel, memoryBytes);
    }

    public EndpointSetup channel(@Nullable CompletionChannel other) {
        return new EndpointSetup(capabilities, signalType, cqEntries, other, memoryBytes);
    }

    public EndpointSetup memoryBytes(int other) {
        return new EndpointSetup(capabilities, signalType, cqEntries, channel, other);
    }
}
