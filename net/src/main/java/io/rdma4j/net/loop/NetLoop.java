package io.rdma4j.net.loop;

import io.rdma4j.base.Cpu;
import io.rdma4j.base.Deadline;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.base.SpinLock;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.Softnet;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Who works for the devices of a host, and when: one thread at a time owns the loop, takes what arrived, fires timers, and lets
 * the clients send. What the soft interrupts of the kernel are, {@code NET_RX_SOFTIRQ} and {@code NET_TX_SOFTIRQ}.
 *
 * <p>Any thread that posts or polls tries to become the owner and does the work itself; if another one is at it, that one
 * sees the doorbell before it leaves. So a posted request is on its way when the post returns, nobody waits for a lock on
 * the data path, and no thread has to be woken. {@link LoopWatcher} sees to it that somebody comes when nobody posts or
 * polls. All state of devices, clients and timers belongs to the owner.
 */
public final class NetLoop implements AutoCloseable {
    /**
     * How long a thread polls in vain before it offers its CPU to others, at each further poll again. Two processes that spin
     * against each other on fewer CPUs than they need, or against the compiler of a JVM that has just started, would
     * otherwise take turns at the scheduler's tick, milliseconds apart; on a CPU of its own a yield returns at once.
     */
    private static final long SPIN_BEFORE_YIELD_NS = 20_000;

    /** Rounds of one visit: packets to the host itself come back within it ({@code MAX_SOFTIRQ_RESTART}). */
    private static final int MAX_ROUNDS = 16;

    /** Even without deadline and packets who sleeps looks in so often; a deadline set meanwhile is late by this at most. */
    private static final long MAX_SLEEP_NS = TimeUnit.MILLISECONDS.toNanos(20);

    /** How long to wait for a network that takes nothing. */
    private static final long HELD_BACK_NS = TimeUnit.MICROSECONDS.toNanos(50);

    private static final VarHandle POLLS;

    static {
        try {
            POLLS = MethodHandles.lookup().findVarHandle(NetLoop.class, "polls", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final NanoClock clock;
    private final ProgressMode mode;
    private final SpinLock owner = new SpinLock();

    /** Who has that lock; stale for any thread but the one that wrote it, and only that one asks for itself. */
    private @Nullable Thread inside;

    private final DeadlineQueue deadlines = new DeadlineQueue();
    private final LatencyRequests latency = new LatencyRequests();
    private final LoopWatchers watchers = new LoopWatchers(this);
    private final long flowSecret;
    private final NapiPoller poller;
    private volatile LoopClient[] clients = {};
    private volatile LoopDevice[] devices = {};

    /**
     * The doorbell: a client has new work. Who rings has made the work visible before; the owner takes the doorbell down before
     * it looks for work, and looks at the doorbell after it has given the loop back.
     */
    private volatile boolean rung;

    private volatile long nextDeadlineNs = Deadline.NEVER;

    @SuppressWarnings("unused") // through POLLS
    private long polls;

    /** When somebody last was in the loop, and when there last was anything to do; hints for those who poll. */
    private long visitedNs;

    private long workedNs;

    /** The visit is that of an application thread that polls. */
    private boolean polled;

    /**
     * A loop whose flow hashes are keyed by lot, or, in {@link ProgressMode#MANUAL} mode, always alike.
     *
     * @param clock of all that it drives
     * @param mode who works
     */
    public NetLoop(NanoClock clock, ProgressMode mode) {
        this(clock, mode, mode == ProgressMode.AUTOMATIC ? new SecureRandom().nextLong() : 0);
    }

    /**
     * A loop that drives nothing yet.
     *
     * @param clock of all that it drives
     * @param mode who works
     * @param flowSecret what the hashes of flows are keyed by
     */
    public NetLoop(NanoClock clock, ProgressMode mode, long flowSecret) {
        this.clock = clock;
        this.mode = mode;
        this.flowSecret = flowSecret;
        this.poller = new NapiPoller(this, watchers);
    }

    long flowSecret() {
        return flowSecret;
    }

    // Who is driven

    /**
     * Drives the device from now on; any thread.
     *
     * @param device registered or not
     * @throws RdmaException EBUSY if another loop does
     */
    public synchronized void add(NetDevice device) {
        device.napis().attach(poller);
        LoopDevice[] more = Arrays.copyOf(devices, devices.length + 1);
        more[devices.length] = new LoopDevice(device);
        devices = more;
        watchers.add(device);
    }

    /**
     * Forgets the device, which is down; any thread. Nothing happens if it does not drive it.
     *
     * @param device one that it drives, or any other
     */
    @SuppressWarnings("ReferenceEquality") // a device is itself
    public synchronized void remove(NetDevice device) {
        watchers.remove(device);
        exclusively(() -> {
            for (LoopDevice driven : devices) {
                if (driven.device() == device) {
                    device.napis().detach();
                    deadlines.remove(driven);
                }
            }
            devices = Arrays.stream(devices)
                    .filter(driven -> driven.device() != device)
                    .toArray(LoopDevice[]::new);
        });
    }

    /**
     * The client has its turn from now on; any thread.
     *
     * @param client called by the owner only
     */
    public synchronized void add(LoopClient client) {
        LoopClient[] more = Arrays.copyOf(clients, clients.length + 1);
        more[clients.length] = client;
        clients = more;
    }

    /**
     * The client has no turn any more; any thread.
     *
     * @param client one of its own, or any other
     */
    @SuppressWarnings("ReferenceEquality") // a client is itself
    public synchronized void remove(LoopClient client) {
        exclusively(() -> clients =
                Arrays.stream(clients).filter(other -> other != client).toArray(LoopClient[]::new));
    }

    /**
     * In {@link ProgressMode#AUTOMATIC} mode, starts the threads that work while nobody else does.
     *
     * @param name of the threads, and of what they are seen by
     */
    public void start(String name) {
        if (mode == ProgressMode.AUTOMATIC) {
            watchers.start(name);
        }
    }

    /** Ends the threads, and waits until they have ended. */
    @Override
    public void close() {
        watchers.stop();
    }

    /** {@return how late the loop may find out that there is something to do} */
    public LatencyRequests latency() {
        return latency;
    }

    /** {@return what wakes the workers of the loop} */
    public Interrupts interrupts() {
        return watchers.interrupts();
    }

    // Who drives

    /** A client has new work, which its next {@link LoopClient#work} finds; any thread. Works at once if nobody else is in the loop. */
    public void ring() {
        rung = true;
        if (mode == ProgressMode.AUTOMATIC) {
            work(false, Softnet.NO_WORKER);
        }
    }

    /** A thread waits for something by asking again and again: it works for the host instead of waiting. */
    public void poll() {
        if (mode != ProgressMode.AUTOMATIC) {
            return;
        }
        POLLS.setOpaque(this, (long) POLLS.getOpaque(this) + 1);
        if (!work(true, Softnet.NO_WORKER) && visitedNs - workedNs > SPIN_BEFORE_YIELD_NS) {
            Cpu.giveWay();
        }
    }

    /** How often application threads polled; the watchers read it. */
    long polls() {
        return (long) POLLS.getOpaque(this);
    }

    /** The calling thread is about to sleep, and will not come by: somebody else must drive the loop. */
    public void beforeBlocking() {
        if (!watchers.directSleep().covers()) {
            watchers.takeOver();
        }
    }

    /** The calling thread has slept, as {@link #beforeBlocking} had announced, and goes on. */
    public void afterBlocking() {
        watchers.directSleep().left();
    }

    /**
     * The calling thread wants to sleep until something happens that the loop brings about. If it may, it sleeps until the loop has work, and does
     * that; see {@link DirectSleep}. Otherwise this is {@link #beforeBlocking}.
     *
     * @param timeoutNs how long at most, nanoseconds
     * @param over true if there is no reason to sleep
     * @return true if it has slept, perhaps for less than that, or had no reason to; false if the caller is to sleep by itself
     */
    public boolean sleep(long timeoutNs, BooleanSupplier over) {
        if (watchers.directSleep().sleep(timeoutNs, over)) {
            return true;
        }
        beforeBlocking();
        return false;
    }

    /** What the thread in {@link #sleep} waits for may have come: it returns. Any thread. */
    public void wakeSleeper() {
        watchers.directSleep().wake();
    }

    /**
     * Works if nobody else does; looks again if a doorbell was rung meanwhile, because its ringer has gone.
     *
     * @param worker whose thread this is, or {@link Softnet#NO_WORKER}
     * @return true if anything was received or sent
     */
    boolean work(boolean receive, int worker) {
        boolean worked = false;
        while (owner.tryLock()) {
            inside = Thread.currentThread();
            try {
                worked |= visit(clock.nanoTime(), receive, worker);
            } finally {
                inside = null;
                owner.unlock();
            }
            VarHandle.fullFence();
            if (!rung) {
                break;
            }
        }
        return worked;
    }

    /**
     * Does everything that is due at {@code nowNs}; for {@link ProgressMode#MANUAL}, where time is the caller's.
     *
     * @param nowNs of the loop's clock
     * @return true if anything was received or sent: there may be more
     */
    public boolean progress(long nowNs) {
        owner.lock();
        inside = Thread.currentThread();
        try {
            return visit(nowNs, true, Softnet.NO_WORKER);
        } finally {
            inside = null;
            owner.unlock();
        }
    }

    /**
     * {@return when {@link #progress} must be called at the latest, if no packet comes before; past if there is more to
     * do, or a packet has come} Any thread.
     */
    public long nextDeadlineNs() {
        return poller.hasPackets(Softnet.NO_WORKER) ? visitedNs : nextDeadlineNs;
    }

    /**
     * Runs an operation of the control path while nobody else is in the loop.
     *
     * @param <T> of the result
     * @param operation short, since packets wait meanwhile
     * @return what it returns
     */
    @SuppressWarnings("ReferenceEquality") // a thread is itself
    public <T> T exclusively(Supplier<T> operation) {
        if (inside == Thread.currentThread()) {
            return operation.get();
        }
        T result;
        owner.lock();
        inside = Thread.currentThread();
        try {
            result = operation.get();
        } finally {
            inside = null;
            owner.unlock();
        }
        // As in work(): the lock must be seen free before the doorbell is looked at.
        VarHandle.fullFence();
        if (rung && mode == ProgressMode.AUTOMATIC) {
            work(false, Softnet.NO_WORKER);
        }
        return result;
    }

    /**
     * {@link #exclusively(Supplier)} without a result.
     *
     * @param operation short, since packets wait meanwhile
     */
    public void exclusively(Runnable operation) {
        exclusively(() -> {
            operation.run();
            return this;
        });
    }

    // For the owner

    /**
     * The deadline of something has changed; by the owner.
     *
     * @param timed what has the deadline
     */
    public void schedule(Timed timed) {
        deadlines.update(timed);
    }

    /**
     * Forgets something that waits for its deadline; by the owner.
     *
     * @param timed what has the deadline
     */
    public void unschedule(Timed timed) {
        deadlines.remove(timed);
    }

    /** {@return when the visit began, nanoseconds of the clock: now, for all that is done in it} By the owner. */
    public long nowNs() {
        return visitedNs;
    }

    /**
     * {@return true if the visit is that of a thread that polls for something, and will be back soon if it does not
     * find it} By the owner.
     */
    public boolean isPolled() {
        return polled;
    }

    /** An error that nobody has foreseen leaves the host in no state to go on, but the thread is the program's. */
    private boolean visit(long nowNs, boolean receive, int worker) {
        try {
            return rounds(nowNs, receive, worker);
        } catch (RuntimeException e) {
            poller.breakDown(e);
            for (LoopClient client : clients) {
                client.breakDown(e);
            }
            nextDeadlineNs = nowNs;
            return true;
        }
    }

    private boolean rounds(long nowNs, boolean receive, int worker) {
        visitedNs = nowNs;
        polled = receive && worker == Softnet.NO_WORKER && mode == ProgressMode.AUTOMATIC;
        boolean worked = false;
        boolean again = true;
        int budget = receive ? poller.enter() : 0;
        for (int round = 0; again && round < MAX_ROUNDS; round++) {
            if (rung) {
                rung = false;
            }
            int received = poller.poll(budget, worker);
            budget -= received;
            fireDeadlines(nowNs);
            worked |= letClientsWork(nowNs) || received > 0;
            letDevicesSend();
            again = rung || budget > 0 && poller.hasPackets(worker);
        }
        if (receive) {
            poller.leave(budget, worker);
        }
        setNextDeadline(hasMore(worker) ? nowNs : deadlines.nextNs());
        if (worked) {
            workedNs = nowNs;
        }
        return worked;
    }

    /** A thread that polls mostly finds it as it was, and writing it is a fence. */
    private void setNextDeadline(long timeNs) {
        if (timeNs != nextDeadlineNs) {
            nextDeadlineNs = timeNs;
        }
    }

    private void fireDeadlines(long nowNs) {
        while (Deadline.isDue(deadlines.nextNs(), nowNs)) {
            Timed due = deadlines.remove();
            due.onDeadline(nowNs);
            deadlines.update(due);
        }
    }

    /** {@code net_tx_action}. */
    private void letDevicesSend() {
        for (LoopDevice driven : devices) {
            if (driven.device().transmitQueues().isActive()) {
                driven.device().flush();
                deadlines.update(driven);
            }
        }
    }

    private boolean letClientsWork(long nowNs) {
        boolean sent = false;
        for (LoopClient client : clients) {
            sent |= client.work(nowNs);
        }
        return sent;
    }

    /** True if more could be done at once: packets wait to be polled, or clients whose turn was over. */
    private boolean hasMore(int worker) {
        if (poller.hasPackets(worker)) {
            return true;
        }
        for (LoopClient client : clients) {
            if (client.hasMore()) {
                return true;
            }
        }
        return false;
    }

    // For the watchers, and who sleeps in their place

    DirectSleep directSleep() {
        return watchers.directSleep();
    }

    /**
     * How long a thread may sleep before it looks in, nanoseconds.
     *
     * @param leads whether it is the one that looks after what is held back
     */
    long longestSleepNs(boolean leads) {
        return Math.min(leads && isHeldBack() ? HELD_BACK_NS : MAX_SLEEP_NS, latency.longestSleepNs());
    }

    /** True if there are packets to be polled, or that wait for a worker; any thread. */
    boolean hasPackets(int worker) {
        return poller.hasPackets(worker);
    }

    /** Which workers there are, bit 0 for worker 0; who drives by hand is as many as anybody likes. */
    long workers() {
        return mode == ProgressMode.MANUAL ? -1 : watchers.mask();
    }

    /** True if there is something to send that a device held back; any thread, a hint. */
    boolean isHeldBack() {
        for (LoopDevice driven : devices) {
            if (driven.device().transmitQueues().isHeldBack()) {
                return true;
            }
        }
        for (LoopClient client : clients) {
            if (client.isHeldBack()) {
                return true;
            }
        }
        return false;
    }

    /** {@return its clock} */
    public NanoClock clock() {
        return clock;
    }

    // Limits

    /** {@return packets that one visit takes from all devices at most ({@code netdev_budget}); 300 unless changed} */
    public int budget() {
        return poller.budget();
    }

    /**
     * Changes it; any thread, from the next visit on.
     *
     * @param packets at least 1, for each visit of a receiver
     * @throws RdmaException EINVAL if it is less than 1
     */
    public void budget(int packets) {
        poller.budget(packets);
    }

    /** {@return what waits for its workers, and what they have done} */
    public Softnet softnet() {
        return poller.softnet();
    }
}
