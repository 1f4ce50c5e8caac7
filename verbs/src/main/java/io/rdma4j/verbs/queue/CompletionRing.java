package io.rdma4j.verbs.queue;

import io.rdma4j.verbs.WcStatus;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A completion queue: the ring, the layout of its entries and the device's end of it. Answers to {@code rxe_cqe} and
 * {@code rxe_cq_post}.
 *
 * <pre>
 *  0  wr_id (64)
 *  8  status (32)          12  opcode (32, WcOpcode code)
 * 16  vendor_err (32)      20  byte_len (32, unsigned)
 * 24  qp_num (32)          28  immediate data or revoked key (32)
 * 32  src_qp (32)          36  wc_flags (32)
 * 40  timestamp in ns (64)
 * 48  pkey_index (16)      50  slid (16)      52  sl (8)      53  dlid_path_bits (8)
 * </pre>
 *
 * <p>The device's end belongs to the device's port loop; {@link #requestNotification} may be called by any thread.
 */
public final class CompletionRing {
    static final long WR_ID = 0;
    static final long STATUS = 8;
    static final long OPCODE = 12;
    static final long VENDOR_ERROR = 16;
    static final long BYTE_LENGTH = 20;
    static final long QP_NUMBER = 24;
    static final long IMMEDIATE = 28;
    static final long SOURCE_QP = 32;
    static final long FLAGS = 36;
    static final long TIMESTAMP = 40;
    static final long PKEY_INDEX = 48;
    static final long SOURCE_LID = 50;
    static final long SERVICE_LEVEL = 52;
    static final long PATH_BITS = 53;
    private static final int ENTRY_BYTES = 54;

    private static final int DISARMED = 0;
    private static final int SOLICITED = 1;
    private static final int NEXT = 2;
    private static final VarHandle NOTIFY;

    static {
        try {
            NOTIFY = MethodHandles.lookup().findVarHandle(CompletionRing.class, "notify", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Ring ring;
    private final MemorySegment memory;
    private final Runnable onCompletion;
    private final Runnable onOverrun;

    /** Which completion raises the next event: {@link #DISARMED}, {@link #SOLICITED} or {@link #NEXT}. */
    @SuppressWarnings("unused") // through NOTIFY
    private volatile int notify;

    private volatile boolean overrun;

    /**
     * Allocates a queue for at least {@code minEntries} completions.
     *
     * @param onCompletion run by the port loop when the event asked for happens; must not block
     * @param onOverrun run by the port loop once, when the queue breaks
     */
    public CompletionRing(int minEntries, Runnable onCompletion, Runnable onOverrun) {
        this.ring = new Ring(minEntries, ENTRY_BYTES);
        this.memory = ring.memory();
        this.onCompletion = onCompletion;
        this.onOverrun = onOverrun;
    }

    /** The ring below. */
    public Ring ring() {
        return ring;
    }

    /** True once a completion found no room: nothing is posted any more. */
    public boolean isOverrun() {
        return overrun;
    }

    /**
     * Posts a completion and raises the event if one was asked for.
     *
     * @param solicited whether the peer asked for an event; failed requests always count as solicited (IBA 11.4.2.2)
     * @return false if the queue was full: it is broken from now on
     */
    public boolean post(CompletionEntry entry, boolean solicited) {
        if (overrun) {
            return false;
        }
        int producer = ring.ownProducer();
        if (ring.next(producer) == ring.acquireConsumer()) {
            overrun = true;
            onOverrun.run();
            return false;
        }
        write(ring.offset(producer), entry);
        ring.publishProducerFully(ring.next(producer));
        if (notify != DISARMED) {
            raise(solicited || entry.status != WcStatus.SUCCESS);
        }
        return true;
    }

    /**
     * Asks for one event at the next completion, or the next solicited one.
     *
     * <p>A request for any completion is not weakened by a later one for solicited completions only (IBA 11.4.2.2).
     *
     * @return true if completions already wait in the queue: they raise no event, poll before sleeping
     */
    public boolean requestNotification(boolean solicitedOnly) {
        int wanted = solicitedOnly ? SOLICITED : NEXT;
        int current = notify;
        while (current < wanted && !NOTIFY.compareAndSet(this, current, wanted)) {
            current = notify;
        }
        return ring.acquireProducer() != ring.acquireConsumer();
    }

    private void raise(boolean solicited) {
        int armed = notify;
        if ((armed == NEXT || solicited) && (int) NOTIFY.getAndSet(this, DISARMED) != DISARMED) {
            onCompletion.run();
        }
    }

    private void write(long at, CompletionEntry entry) {
        memory.set(SgeLayout.LONG, at + WR_ID, entry.wrId);
        memory.set(SgeLayout.INT, at + STATUS, entry.status.code());
        memory.set(SgeLayout.INT, at + OPCODE, entry.opcode.code());
        memory.set(SgeLayout.INT, at + VENDOR_ERROR, entry.vendorError);
        memory.set(SgeLayout.INT, at + BYTE_LENGTH, entry.byteLength);
        memory.set(SgeLayout.INT, at + QP_NUMBER, entry.qpNumber);
        memory.set(SgeLayout.INT, at + IMMEDIATE, entry.immediate);
        memory.set(SgeLayout.INT, at + SOURCE_QP, entry.sourceQp);
        memory.set(SgeLayout.INT, at + FLAGS, entry.flags);
        memory.set(SgeLayout.LONG, at + TIMESTAMP, entry.timestampNs);
        memory.set(SgeLayout.SHORT, at + PKEY_INDEX, (short) entry.pkeyIndex);
        memory.set(SgeLayout.SHORT, at + SOURCE_LID, (short) entry.sourceLid);
        memory.set(SgeLayout.BYTE, at + SERVICE_LEVEL, (byte) entry.serviceLevel);
        memory.set(SgeLayout.BYTE, at + PATH_BITS, (byte) entry.destinationPathBits);
    }
}
