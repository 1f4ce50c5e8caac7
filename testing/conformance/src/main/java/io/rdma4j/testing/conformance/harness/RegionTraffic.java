// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.harness;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.QpPair;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.wr.WcStatus;
import java.lang.foreign.ValueLayout;
import java.util.Set;

/**
 * Transfers messages into and out of one region of the second endpoint, with any kind of memory. The first endpoint has
 * ordinary memory.
 */
public final class RegionTraffic {
    /** Rights that the region must be registered with. */
    public static final Set<AccessFlag> RIGHTS =
            Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC);

    /** Several packets; not a multiple of the page size, MTU or word size. */
    public static final int LENGTH = 5001;

    private static final int SOURCE = 0;
    private static final int TARGET = 20_000;

    private final Endpoint a;
    private final Endpoint b;
    private final MemoryRegion region;

    /** @param pair with rights for all remote operations */
    public RegionTraffic(QpPair pair, MemoryRegion region) {
        this.a = pair.a();
        this.b = pair.b();
        this.region = region;
    }

    /**
     * Executes each operation in both directions with {@link #LENGTH} bytes at {@code offset} of the region, and an
     * atomic.
     */
    public void everything(long offset) {
        writeInto(1, offset);
        readFrom(1, offset);
        sendFrom(1, offset);
        assertThat(sendInto(2, offset)).isEqualTo(WcStatus.SUCCESS);
        readFrom(2, offset);
        readInto(3, offset);
        writeFrom(3, offset);
        fetchAdd(offset & -Long.BYTES);
    }

    /** The peer writes. */
    public void writeInto(int number, long offset) {
        fill(number);
        assertThat(tryWriteInto(offset)).isEqualTo(WcStatus.SUCCESS);
    }

    /** The peer writes; returns the status. */
    public WcStatus tryWriteInto(long offset) {
        a.qp.startSend()
                .signaled()
                .rdmaWrite(region.rkey(), region.iova() + offset)
                .sge(a.mr.lkey(), a.remote(SOURCE), LENGTH)
                .complete();
        return a.awaitSends(1).getFirst().status();
    }

    /** The peer reads. */
    public void readFrom(int number, long offset) {
        clear();
        a.qp.startSend()
                .signaled()
                .rdmaRead(region.rkey(), region.iova() + offset)
                .sge(a.mr.lkey(), a.remote(TARGET), LENGTH)
                .complete();
        a.awaitSend();
        assertArrived(number);
    }

    /** The peer sends; returns the status. */
    public WcStatus sendInto(int number, long offset) {
        fill(number);
        postReceive(region.iova() + offset);
        a.postSend(2, SOURCE, LENGTH);
        WcStatus status = a.awaitSends(1).getFirst().status();
        if (status == WcStatus.SUCCESS) {
            b.awaitReceive();
        }
        return status;
    }

    /** Posts a receive into the current memory of the region. */
    public void postReceive(long address) {
        b.qp.startReceive().receive(1).sge(region.lkey(), address, LENGTH).complete();
    }

    /** Sends a message to the peer. */
    public void sendFrom(int number, long offset) {
        clear();
        a.postReceive(3, TARGET, LENGTH);
        b.qp.startSend()
                .signaled()
                .send()
                .sge(region.lkey(), region.iova() + offset, LENGTH)
                .complete();
        b.awaitSend();
        a.awaitReceive();
        assertArrived(number);
    }

    /** Reads memory of the peer. */
    public void readInto(int number, long offset) {
        fill(number);
        b.qp.startSend()
                .signaled()
                .rdmaRead(a.mr.rkey(), a.remote(SOURCE))
                .sge(region.lkey(), region.iova() + offset, LENGTH)
                .complete();
        b.awaitSend();
    }

    /** Writes memory of the peer. */
    void writeFrom(int number, long offset) {
        clear();
        b.qp.startSend()
                .signaled()
                .rdmaWrite(a.mr.rkey(), a.remote(TARGET))
                .sge(region.lkey(), region.iova() + offset, LENGTH)
                .complete();
        b.awaitSend();
        assertArrived(number);
    }

    /** The peer executes two FETCH_AND_ADDs on the same eight bytes. */
    public void fetchAdd(long offset) {
        assertThat(tryFetchAdd(offset)).isEqualTo(WcStatus.SUCCESS);
        long before = a.memory.get(ValueLayout.JAVA_LONG, TARGET);
        assertThat(tryFetchAdd(offset)).isEqualTo(WcStatus.SUCCESS);
        assertThat(a.memory.get(ValueLayout.JAVA_LONG, TARGET)).isEqualTo(before + 1);
    }

    /** The peer executes a FETCH_AND_ADD; returns the status. */
    public WcStatus tryFetchAdd(long offset) {
        a.qp.startSend()
                .signaled()
                .atomicFetchAdd(region.rkey(), region.iova() + offset, 1)
                .sge(a.mr.lkey(), a.remote(TARGET), Long.BYTES)
                .complete();
        return a.awaitSends(1).getFirst().status();
    }

    private void fill(int number) {
        Bytes.fill(a.memory.asSlice(SOURCE, LENGTH), number);
    }

    private void clear() {
        a.memory.asSlice(TARGET, LENGTH).fill((byte) 0);
    }

    private void assertArrived(int number) {
        Bytes.assertHolds(a.memory.asSlice(TARGET, LENGTH), number);
    }
}
