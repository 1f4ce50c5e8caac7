// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi;

import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpCreateFlag;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.SignalType;
import io.rdma4j.verbs.wr.WrOpcode;
import java.lang.foreign.SegmentAllocator;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of a new queue pair without its objects, whose provider's parts are in {@link QpResources}. See
 * {@link io.rdma4j.verbs.QpInitAttributes}.
 */
public interface QpSetup {
    /** {@return the transport service} */
    QpType type();

    /** {@return the requested sizes} */
    QpCapabilities capabilities();

    /** {@return which sends raise completions} */
    SignalType signalType();

    /** {@return the create flags} */
    Set<QpCreateFlag> createFlags();

    /** {@return the operations that will be posted; empty for all that the type and the device support} */
    Set<WrOpcode> sendOperations();

    /** {@return the port of an SMI or GSI queue pair, from 1; else 0} */
    int port();

    /** {@return the EtherType of a RAW_ETHERTYPE queue pair; else 0} */
    int etherType();

    /** {@return the allocator of the send queue and then of the receive queue; null for memory of the device} */
    @Nullable
    SegmentAllocator queueMemory();

    /** {@return true if the queue pair receives through a queue of its own} */
    boolean hasOwnReceiveQueue();
}
