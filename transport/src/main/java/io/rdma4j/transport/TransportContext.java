package io.rdma4j.transport;

import io.rdma4j.verbs.queue.CompletionEntry;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * What all queue pairs of a device share: keys, counters, options, and the scratch of the port loop's thread.
 */
public final class TransportContext {
    private static final int SCRATCH_BYTES = 64;

    /** Half of the buffers that the smallest device receives into. */
    private static final int MAX_HELD_BUFFERS = 128;

    private final MemoryKeys keys;
    private final TransportOptions options;
    private final TransportCounters counters = new TransportCounters();
    private final Trace trace;
    private final CompletionEntry completion = new CompletionEntry();
    private final MemorySegment scratch = Arena.ofAuto().allocate(SCRATCH_BYTES, SCRATCH_BYTES);

    private final Train train = new Train();
    private final PacketContext heldPacket = new PacketContext();
    private final WholeMessage wholeMessage = new WholeMessage();
    private final WholeMessage receivedMessage = new WholeMessage();

    private int heldBuffers;

    /**
     * What the queue pairs of a device share.
     *
     * @param netdev name of the interface below, for traces
     * @param keys its regions and windows
     * @param options what its queue pairs follow
     */
    public TransportContext(String netdev, MemoryKeys keys, TransportOptions options) {
        this.trace = new Trace(netdev);
        this.keys = keys;
        this.options = options;
    }

    /** {@return the device's table of keys} */
    public MemoryKeys keys() {
        return keys;
    }

    /** {@return what the device counts} */
    public TransportCounters counters() {
        return counters;
    }

    /** {@return true if connections slow down where packets meet congestion, so that their packets may be marked} */
    public boolean controlsCongestion() {
        return options.congestionControl() != null;
    }

    TransportOptions options() {
        return options;
    }

    /** {@return the events of its queue pairs} */
    public Trace trace() {
        return trace;
    }

    CompletionEntry completion() {
        return completion;
    }

    MemorySegment scratch() {
        return scratch;
    }

    /** To describe a train that is being made. */
    Train train() {
        return train;
    }

    /** To read a packet that was held until its turn came, while another one is being read. */
    PacketContext heldPacket() {
        return heldPacket;
    }

    /** For a message that is handed over. */
    WholeMessage wholeMessage() {
        return wholeMessage;
    }

    /** {@return for a message that comes as a note; the port's} */
    public WholeMessage receivedMessage() {
        return receivedMessage;
    }

    /** True if a queue pair may hold one more received buffer; it gives the place back. */
    boolean takeHoldingPlace() {
        boolean free = heldBuffers < MAX_HELD_BUFFERS;
        if (free) {
            heldBuffers++;
        }
        return free;
    }

    void giveHoldingPlace() {
        heldBuffers--;
    }
}
