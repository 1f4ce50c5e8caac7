// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import io.rdma4j.base.Deadline;
import io.rdma4j.wire.mad.ClassPortInfo;
import io.rdma4j.wire.mad.CmMessage;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadCheck;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The communication manager of a device: connects its queue pairs with those of peers. Does no I/O, has no thread and
 * no clock: the caller passes received datagrams to {@link #received} and the time to {@link #advance}, before
 * everything else that happens at that time.
 *
 * <p>Nothing that comes from the network throws. Memory for what peers request is bounded: by the backlogs of the
 * listeners and by {@link CmOptions}.
 */
public final class Cm {
    private static final int CLASS_PORT_INFO = 1;

    private final CmCore core;
    private final CmInput input;

    /**
     * Makes a communication manager without listeners.
     *
     * @param device sends the datagrams
     * @param options limits and the seed
     * @param nowNs time in nanoseconds, from any point on
     */
    public Cm(CmDevice device, CmOptions options, long nowNs) {
        core = new CmCore(device, options, nowNs);
        input = new CmInput(core);
    }

    /**
     * {@return a new id in state IDLE} Corresponds to {@code ib_create_cm_id}.
     *
     * @param handler receives the events of the id, and of the ids that requests to it make
     */
    public CmId createId(CmId.Handler handler) {
        return new CmId(core, handler, null);
    }

    /**
     * {@return the earliest time at which a timer is due, or {@link Deadline#NEVER}} Repeats messages that the peer has
     * not answered.
     *
     * @param nowNs time in nanoseconds; not before the last one
     */
    public long advance(long nowNs) {
        return core.advance(nowNs);
    }

    /** {@return the earliest time at which a timer is due, or {@link Deadline#NEVER}} */
    public long nextDeadline() {
        return core.timers.nextNs();
    }

    /**
     * Processes a datagram that arrived at QP1.
     *
     * @param datagram read during the call only
     * @param source the way back to the sender, with the port and the P_Key index of the completion
     */
    public void received(MemorySegment datagram, CmAddress source) {
        CmMessage message = check(datagram);
        if (message != null) {
            input.received(message, datagram, source);
            core.deliver();
        } else {
            counters(source.port()).countDrop(CmDrop.MALFORMED);
        }
    }

    private static @Nullable CmMessage check(MemorySegment mad) {
        return isCm(mad) && Mad.METHOD.getInt(mad, 0) == MadMethod.SEND.code()
                ? CmMessage.of(Mad.ATTRIBUTE_ID.getInt(mad, 0))
                : null;
    }

    private static boolean isCm(MemorySegment mad) {
        return Mad.check(mad, 0, (int) Math.min(mad.byteSize(), Mad.BYTES)) == MadCheck.OK
                && Mad.MGMT_CLASS.getInt(mad, 0) == MadClass.COM_MGT.code()
                && Mad.CLASS_VERSION.getInt(mad, 0) == MadClass.COM_MGT.version();
    }

    /**
     * {@return the response to a request that belongs to no connection; null for all other datagrams} It goes to the
     * queue pair that sent the request, which need not be QP1 as for messages.
     *
     * @param datagram a Get(ClassPortInfo), or another one; read during the call only
     */
    public static @Nullable MemorySegment response(MemorySegment datagram) {
        if (!isCm(datagram)
                || Mad.METHOD.getInt(datagram, 0) != MadMethod.GET.code()
                || Mad.ATTRIBUTE_ID.getInt(datagram, 0) != CLASS_PORT_INFO) {
            return null;
        }
        MemorySegment mad = MemorySegment.ofArray(new byte[Mad.BYTES]);
        Mad.write(
                mad,
                0,
                MadClass.COM_MGT,
                MadMethod.GET.code() | MadMethod.RESPONSE,
                CLASS_PORT_INFO,
                Mad.TRANSACTION_ID.get(datagram, 0));
        ClassPortInfo.BASE_VERSION.put(mad, Mad.HEADER_BYTES, Mad.BASE_VERSION_1);
        ClassPortInfo.CLASS_VERSION.put(mad, Mad.HEADER_BYTES, MadClass.COM_MGT.version());
        return mad;
    }

    /**
     * Tells that the first packet has arrived on a queue pair: the event {@code COMM_EST}. Ignored if its connection is
     * not waiting for that.
     *
     * @param qpn local queue pair
     */
    public void commEst(int qpn) {
        CmId id = core.tables.byLocalQpn(qpn);
        if (id != null && CmStateTable.step(id.state, CmTrigger.COMM_EST) != null) {
            id.establish();
        }
    }

    /**
     * Tells that a queue pair has migrated to its alternate path: the event {@code PATH_MIG}. Ignored if its connection
     * has none.
     *
     * @param qpn local queue pair
     */
    public void pathMigrated(int qpn) {
        CmId id = core.tables.byLocalQpn(qpn);
        if (id != null
                && id.state == CmState.ESTABLISHED
                && id.connection().alternatePath != null
                && CmStateTable.lapStep(id.lapState, CmTrigger.PATH_MIG) != null) {
            id.pathMigrated();
        }
    }

    /**
     * {@return the counters of a port}
     *
     * @param port from 1
     */
    public CmCounters counters(int port) {
        return core.counters(port);
    }

    /** {@return the ids that are not destroyed, in no order} */
    public List<CmId> ids() {
        return core.tables.ids().stream().filter(id -> !id.isDestroyed()).toList();
    }

    /** For tests. */
    @Nullable
    CmId byLocalId(int localId) {
        return core.tables.byLocalId(localId);
    }

    /** For tests. */
    TimerHeap timers() {
        return core.timers;
    }

    /** Number of table entries and timers, for tests of the memory bounds. */
    int size() {
        return core.tables.size() + core.timers.size();
    }

    /** Destroys all ids: rejects their requests and disconnects their connections. */
    public void destroyIds() {
        ids().forEach(CmId::destroy);
    }
}
