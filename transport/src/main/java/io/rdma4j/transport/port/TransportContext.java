// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.port;

import io.rdma4j.transport.event.TransportEvents;
import io.rdma4j.transport.memory.KeyTable;
import io.rdma4j.verbs.spi.ring.CompletionEntry;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** State that all queue pairs of a device share: keys, counters, options, and the scratch of the port loop's thread. */
public final class TransportContext {
    private static final int SCRATCH_BYTES = 64;

    /** Half of the receive buffers of the smallest device. */
    private static final int MAX_HELD_BUFFERS = 128;

    private final KeyTable keys;
    private final TransportOptions options;
    private final TransportCounters counters = new TransportCounters();
    private final TransportEvents trace;
    private final CompletionEntry completion = new CompletionEntry();
    private final MemorySegment scratch = Arena.ofAuto().allocate(SCRATCH_BYTES, SCRATCH_BYTES);

    private final Train train = new Train();
    private final PacketContext heldPacket = new PacketContext();

    private int heldBuffers;

    /**
     * Creates the shared state of the queue pairs of a device.
     *
     * @param netdev name of the interface below, for traces
     * @param keys its regions and windows
     * @param options of its queue pairs
     */
    public TransportContext(String netdev, KeyTable keys, TransportOptions options) {
        this.trace = new TransportEvents(netdev);
        this.keys = keys;
        this.options = options;
    }

    /** {@return the device's table of keys} */
    public KeyTable keys() {
        return keys;
    }

    /** {@return counters of the device} */
    public TransportCounters counters() {
        return counters;
    }

    /** {@return true if connections reduce their rate on congestion, so that their packets may be marked} */
    public boolean controlsCongestion() {
        return options.congestionControl() != null;
    }

    public TransportOptions options() {
        return options;
    }

    /** {@return the events of its queue pairs} */
    public TransportEvents trace() {
        return trace;
    }

    public CompletionEntry completion() {
        return completion;
    }

    public MemorySegment scratch() {
        return scratch;
    }

    /** Describes a train that is being made. */
    public Train train() {
        return train;
    }

    /** Context of a held packet that is processed while another one is being processed. */
    public PacketContext heldPacket() {
        return heldPacket;
    }

    /** Reserves room for one more held receive buffer; false if the limit is reached. */
    public boolean takeHoldingPlace() {
        boolean free = heldBuffers < MAX_HELD_BUFFERS;
        if (free) {
            heldBuffers++;
        }
        return free;
    }

    public void giveHoldingPlace() {
        heldBuffers--;
    }
}
