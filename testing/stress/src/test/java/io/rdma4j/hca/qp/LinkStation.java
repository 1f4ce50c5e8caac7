// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.qp;

import io.rdma4j.rxe.DeviceSpec;
import io.rdma4j.rxe.RxeOptions;
import io.rdma4j.rxe.RxeProvider;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.EndpointTarget;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.stress.Recycler;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.Semaphore;

/** Two connected queue pairs with a link: of one device, or of two devices that share memory as two processes do. */
final class LinkStation implements EndpointTarget {
    /** Bytes of a message. */
    static final int BYTES = 8;

    /** Offset of the first received message in the memory. */
    static final int ARRIVALS = 1024;

    /** Bytes of the memory of a queue pair, and of a long message. */
    static final int PAGE = 4096;

    /** Small, because jcstress has thousands of state objects at a time. */
    private static final EndpointSetup SETUP = EndpointSetup.OPEN
            .capabilities(new QpCapabilities(4, 4, 1, 1, 0))
            .cqEntries(8)
            .memoryBytes(PAGE);

    private static final Context FIRST = open(1);
    private static final Context SECOND = open(2);
    /** A channel between two processes has rings for so many links. */
    private static final Semaphore RINGS = new Semaphore(16);

    private static final Recycler<LinkStation> LOCAL = new Recycler<>(() -> new LinkStation(true));
    private static final Recycler<LinkStation> SHARED = new Recycler<>(() -> new LinkStation(false));

    final Endpoint from;
    final Endpoint to;

    /** More memory of the receiver, {@link #PAGE} bytes; other processes can map that of two devices. */
    final MemorySegment target;

    private final boolean local;

    private LinkStation(boolean local) {
        this.local = local;
        from = new Endpoint(this, FIRST, SETUP);
        to = new Endpoint(this, local ? FIRST : SECOND, SETUP);
        from.connectTo(to, LinkSetup.DEFAULT);
        to.connectTo(from, LinkSetup.DEFAULT);
        target = local ? Arena.ofAuto().allocate(PAGE) : SECOND.allocateBuffer(PAGE, PAGE, Arena.ofAuto());
        // The first message of a pair sets up its link.
        to.postReceive(0, ARRIVALS, BYTES);
        from.postSend(0, 0, BYTES);
        from.awaitSend();
        to.awaitReceive();
    }

    private static Context open(int number) {
        long pid = ProcessHandle.current().pid();
        String address = "127." + (1 + (pid >> 8) % 254) + "." + (pid & 0xFF) + "." + number;
        Host host = Host.create("stress" + number);
        host.register(new RxeProvider(List.of(DeviceSpec.parse("rxe0=udp:" + address)), RxeOptions.DEFAULT));
        return host.open("rxe0");
    }

    /** Returns queue pairs of two devices while there are rings for them, and otherwise of one device. */
    static LinkStation take() {
        return (RINGS.tryAcquire() ? SHARED : LOCAL).take();
    }

    /** Posts a receive with the next buffer behind {@link #ARRIVALS}. */
    void postReceive(int index) {
        to.postReceive(index, ARRIVALS + (long) index * BYTES, BYTES);
    }

    /** Posts a SEND of a message whose first byte is {@code value}. */
    void post(int value) {
        from.memory.set(ValueLayout.JAVA_BYTE, (long) value * BYTES, (byte) value);
        from.postSend(value, (long) value * BYTES, BYTES);
    }

    /** Returns the first byte of a received message. */
    int arrived(WorkCompletion completion) {
        return to.memory.get(ValueLayout.JAVA_BYTE, ARRIVALS + completion.wrId() * BYTES);
    }

    /** Makes the queue pairs available to another state object. Both queues must be empty. */
    void giveBack() {
        (local ? LOCAL : SHARED).giveBack(this);
        releaseRing();
    }

    /** Closes queue pairs that cannot be used again. */
    void close() {
        from.close();
        to.close();
        releaseRing();
    }

    private void releaseRing() {
        if (!local) {
            RINGS.release();
        }
    }
}
