package io.rdma4j.net.loop;

import io.rdma4j.base.Cpu;
import io.rdma4j.base.Deadline;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.base.SpinLock;
import io.rdma4j.net.Napi;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.Softnet;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
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
    /** The thread that works while no other does, among those that tell a client before they sleep. */
    public static final int WATCHER = 0;

    /** An application thread that sleeps in its place. */
    public static final int DIRECT_SLEEPER = 1;

    /**
     * How long a thread polls in vain before it offers its CPU to others, at each further poll again. Two processes that spin
     * against each other on fewer CPUs than they need, or against the compiler of a JVM that has just started, would
     * otherwise take turns at the scheduler's tick, milliseconds apart; on a CPU of its own a yield returns at once.
     */
    private static final long SPIN_BEFORE_YIELD_NS = 20_000;

    /**
     * How long after the last work a watcher goes on looking for a client that somebody polls for in vain: two ticks of a scheduler at 250 Hz, so that
     * who brings the next work may lose its CPU meanwhile.
     */
    private static final long AWAITED_NS = TimeUnit.MILLISECONDS.toNanos(8);

    /** Rounds of one visit: packets to the host itself come back within it ({@code MAX_SOFTIRQ_RESTART}). */
    private static final int MAX_ROUNDS = 16;

    /**
     * A thread that polls in vain looks at the clock once in so many polls, a power of two: reading it takes longer than all the rest. So it is late
     * for a deadline by that many polls at most, and if its polls are far apart {@link LoopWatcher} keeps the deadlines.
     */
    private static final int POLLS_PER_LOOK_AT_CLOCK = 4;

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
    private final LoopSleep sleep;
    private final LoopErrors errors = new LoopErrors();
    private final LoopClients clients = new LoopClients(errors);
    private volatile LoopDevice[] devices = {};

    /**
     * The doorbell: a client has new work. Who rings has made the work visible before; the owner takes the doorbell down before
     * it looks for work, and looks at the doorbell after it has given the loop back.
     */
    private volatile boolean rung;

    private volatile long nextDeadlineNs = Deadline.NEVER;

    @SuppressWarnings("unused") // through POLLS
    private long polls;

    /** When somebody in the loop last asked for the time, and when there last was anything to do; hints for those who poll. */
    private long visitedNs;

    private long workedNs;

    /** The visit knows its time, because somebody has asked for it, or whoever drives by hand has told it. */
    private boolean timed;

    /** The clients have their turn whatever they say: a doorbell was rung, or somebody changed something. */
    private boolean due;

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
        this.sleep = new LoopSleep(this, watchers);
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
    public void add(LoopClient client) {
        clients.add(client);
    }

    /**
     * The client has no turn any more; any thread.
     *
     * @param client one of its own, or any other
     */
    public void remove(LoopClient client) {
        exclusively(() -> clients.remove(client));
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

    /** {@return how threads sleep until the loop has something for them} */
    public LoopSleep sleep() {
        return sleep;
    }

    // Who drives

    /** A client has new work, which its next {@link LoopClient#work} finds; any thread. Works at once if nobody else is in the loop. */
    public void ring() {
        rung = true;
        if (mode == ProgressMode.AUTOMATIC) {
            work(false, Softnet.NO_WORKER);
        }
    }

    /** As {@link #ring}, for work that comes while threads sleep: those wake, and look for more. Any thread. */
    public void wake() {
        ring();
        watchers.wake();
    }

    /** {@return true if the calling thread is the owner of the loop} */
    @SuppressWarnings("ReferenceEquality") // a thread is itself
    public boolean isInside() {
        return inside == Thread.currentThread();
    }

    /** A thread waits for something by asking again and again: it works for the host instead of waiting. */
    public void poll() {
        if (mode != ProgressMode.AUTOMATIC) {
            return;
        }
        long count = polls() + 1;
        POLLS.setOpaque(this, count);
        boolean looksAtClock = (count & POLLS_PER_LOOK_AT_CLOCK - 1) == 0;
        if (!work(true, Softnet.NO_WORKER, looksAtClock) && visitedNs - workedNs > SPIN_BEFORE_YIELD_NS) {
            Cpu.giveWay();
        }
    }

    /** How often application threads polled; the watchers read it. */
    long polls() {
        return (long) POLLS.getOpaque(this);
    }

    /**
     * Enters the loop if nobody is in it, for a client that has new work: that needs no doorbell then. Who has entered puts the work where {@link
     * LoopClient#work} finds it and calls {@link #workAndLeave} at once.
     *
     * @return true if the calling thread is the owner now; false if another one is, or this one already, or the mode is {@link
     *     ProgressMode#MANUAL}: then the client leaves the work where any thread may and calls {@link #ring}
     */
    public boolean enter() {
        if (mode != ProgressMode.AUTOMATIC || !tryEnter()) {
            return false;
        }
        due = true;
        return true;
    }

    /** What {@link #ring} does, for a thread that has entered; then it has left. */
    public void workAndLeave() {
        workAndLeave(false, Softnet.NO_WORKER, true);
        if (rung) {
            work(false, Softnet.NO_WORKER);
        }
    }

    /**
     * Works if nobody else does.
     *
     * @param worker whose thread this is, or {@link Softnet#NO_WORKER}
     * @return true if anything was received or sent
     */
    boolean work(boolean receive, int worker) {
        return work(receive, worker, true);
    }

    /** Looks again if a doorbell was rung meanwhile, because its ringer has gone. */
    private boolean work(boolean receive, int worker, boolean looksAtClock) {
        boolean worked = false;
        while (tryEnter()) {
            worked |= workAndLeave(receive, worker, looksAtClock);
            if (!rung) {
                break;
            }
        }
        return worked;
    }

    private boolean tryEnter() {
        boolean entered = owner.tryLock();
        if (entered) {
            inside = Thread.currentThread();
        }
        return entered;
    }

    /** When this returns, the loop is free for whoever rings the doorbell after the caller has looked at it. */
    private boolean workAndLeave(boolean receive, int worker, boolean looksAtClock) {
        try {
            timed = false;
            return visit(receive, worker, looksAtClock);
        } catch (InternalError late) {
            // Compiled code throws for a bad access to memory some instructions later, which may be after the visit.
            breakDown(late);
            return true;
        } finally {
            leave();
        }
    }

    /** The lock must be seen free before the doorbell is looked at. */
    private void leave() {
        inside = null;
        owner.unlock();
        VarHandle.fullFence();
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
            visitedNs = nowNs;
            timed = true;
            due = true;
            return visit(true, Softnet.NO_WORKER, true);
        } finally {
            leave();
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
            due = true;
            leave();
        }
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

    /** {@return now, for all that is done in a visit, nanoseconds of the clock, which is read when this is first asked} By the owner. */
    public long nowNs() {
        if (!timed) {
            timed = true;
            visitedNs = clock.nanoTime();
        }
        return visitedNs;
    }

    /**
     * {@return true if the visit is that of a thread that polls for something, and will be back soon if it does not
     * find it} By the owner.
     */
    public boolean isPolled() {
        return polled;
    }

    /**
     * Nothing is thrown out of a visit, not even an {@link Error}: the calling thread is the program's, or the watcher's, which must not end. Clients have
     * caught their own errors; one that comes up to here is a device's, or the host's.
     */
    private boolean visit(boolean receive, int worker, boolean looksAtClock) {
        try {
            return rounds(receive, worker, looksAtClock);
        } catch (Throwable error) {
            Napi broken = poller.abort();
            LoopDevice device = broken == null ? null : deviceOf(broken);
            if (device != null) {
                breakDown(device.device(), error);
            } else {
                breakDown(error);
            }
            due = true;
            nextDeadlineNs = nowNs();
            return true;
        }
    }

    /** What all clients share has failed. By the owner. */
    private void breakDown(Throwable error) {
        errors.error("the packet path of a host has failed: all of its RDMA devices are out of service", error);
        clients.breakDown(error);
    }

    private @Nullable LoopDevice deviceOf(Napi napi) {
        for (LoopDevice driven : devices) {
            if (driven.device().napis().all().contains(napi)) {
                return driven;
            }
        }
        return null;
    }

    /** A device's driver has thrown: the device is not polled any more, drops what waits to be sent, and its clients go out of service. By the owner. */
    private void breakDown(NetDevice device, Throwable error) {
        errors.error(device.name() + ": the driver has failed; the device is not polled any more", error);
        try {
            device.napis().all().forEach(Napi::disable);
            device.dropWaiting(_ -> true);
        } catch (Throwable again) {
            errors.error(device.name() + ": the driver has failed again", again);
        }
        clients.breakDown(device, error);
    }

    /** The driver of a device has thrown outside of a visit: see {@link LoopWatcher}. Any thread; does not throw. */
    void fail(NetDevice device, Throwable error) {
        exclusively(() -> breakDown(device, error));
    }

    /** {@return the log of what was thrown} */
    LoopErrors errors() {
        return errors;
    }

    private boolean rounds(boolean receive, int worker, boolean looksAtClock) {
        polled = receive && worker == Softnet.NO_WORKER && mode == ProgressMode.AUTOMATIC;
        boolean worked = false;
        boolean more = false;
        boolean again = true;
        int budget = receive ? poller.enter() : 0;
        for (int round = 0; again && round < MAX_ROUNDS; round++) {
            if (rung) {
                rung = false;
                due = true;
            }
            int received = budget > 0 ? poller.poll(budget, worker) : 0;
            budget -= received;
            boolean fired = looksAtClock && fireDeadlines();
            if (due || fired || received > 0 || !clients.areIdle()) {
                due = false;
                worked |= clients.work(nowNs()) || received > 0;
                more = clients.haveMore();
            }
            letDevicesSend();
            again = rung || budget > 0 && poller.hasPackets(worker);
        }
        if (receive) {
            poller.leave(budget, worker);
        }
        setNextDeadline(more ? nowNs() : deadlines.nextNs());
        if (worked) {
            workedNs = nowNs();
        }
        return worked;
    }

    /** A thread that polls mostly finds it as it was, and writing it is a fence. */
    private void setNextDeadline(long timeNs) {
        if (timeNs != nextDeadlineNs) {
            nextDeadlineNs = timeNs;
        }
    }

    /** True if there were any. */
    private boolean fireDeadlines() {
        long nowNs = nowNs();
        boolean fired = false;
        while (Deadline.isDue(deadlines.nextNs(), nowNs)) {
            fire(deadlines.remove(), nowNs);
            fired = true;
        }
        return fired;
    }

    /** One that throws is not scheduled again. */
    private void fire(Timed due, long nowNs) {
        try {
            due.onDeadline(nowNs);
            deadlines.update(due);
        } catch (Throwable error) {
            LoopClient client = due.client();
            if (client == null) {
                throw error;
            }
            clients.breakDown(client, error);
        }
    }

    /** {@code net_tx_action}. */
    private void letDevicesSend() {
        for (LoopDevice driven : devices) {
            if (driven.device().transmitQueues().isActive()) {
                flush(driven);
            }
        }
    }

    private void flush(LoopDevice driven) {
        try {
            driven.device().flush();
            deadlines.update(driven);
        } catch (Throwable error) {
            breakDown(driven.device(), error);
        }
    }

    // For the watchers, and who sleeps in their place

    /** True if there are packets to be polled, or that wait for a worker; any thread. */
    boolean hasPackets(int worker) {
        return poller.hasPackets(worker);
    }

    /** A thread is about to sleep; false if a client has work. Any thread. */
    boolean beforeSleep(int sleeper) {
        return clients.beforeSleep(sleeper);
    }

    /** It has slept. Any thread. */
    void afterSleep(int sleeper) {
        clients.afterSleep(sleeper);
    }

    /** True if there was work a short time ago, and somebody has polled in vain for that of a client since this was last asked. */
    boolean isAwaited(long nowNs) {
        return nowNs - workedNs < AWAITED_NS && clients.areAwaited();
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
        return clients.areHeldBack();
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
