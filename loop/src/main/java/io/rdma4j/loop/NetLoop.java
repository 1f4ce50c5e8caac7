// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.receive.Napi;
import io.rdma4j.net.receive.Softnet;
import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Event loop of a host: receives packets, fires timers and runs clients. One thread at a time owns it. Corresponds to
 * {@code NET_RX_SOFTIRQ} and {@code NET_TX_SOFTIRQ} of the kernel.
 *
 * <p>A thread that posts or polls tries to take the loop's lock and runs the loop itself. If another thread holds the
 * lock, the caller sets the doorbell, which the holder rechecks after it unlocks. A post sends its request at once or
 * leaves it to the owner. No thread waits for a lock on the data path, and no thread is woken. {@link LoopThread} runs
 * the loop while no application thread posts or polls. All state of devices, clients and timers belongs to the owner.
 */
public final class NetLoop implements AutoCloseable {
    /** Sleeper number of the leading loop thread, see {@link LoopClient#beforeSleep}. */
    public static final int LEADER = 0;

    /** Sleeper number of an application thread in a caller wait. */
    public static final int DIRECT_SLEEPER = 1;

    /**
     * Time after the last work during which the leading loop thread polls for a client that an application thread polls
     * without success. It is two ticks of a scheduler at 250 Hz, because the thread that brings the next work may lose
     * its CPU for so long.
     */
    private static final long AWAITED_NS = TimeUnit.MILLISECONDS.toNanos(8);

    /**
     * Maximum number of rounds in one run: packets to the host itself arrive within it ({@code MAX_SOFTIRQ_RESTART}).
     */
    private static final int MAX_ROUNDS = 16;

    private final NanoClock clock;
    private final ProgressMode mode;
    private final LoopLock lock = new LoopLock();
    private final DeadlineQueue deadlines = new DeadlineQueue();
    private final LatencyRequests latency = new LatencyRequests();
    private final LoopThreads threads = new LoopThreads(this);
    private final long flowSecret;
    private final NapiPoller poller;
    private final LoopWait sleep;
    private final PollPacing pacing = new PollPacing();
    private final LoopErrors errors = new LoopErrors();
    private final LoopClients clients = new LoopClients(errors);
    private final LoopDevices devices = new LoopDevices(deadlines, clients, errors);

    /**
     * The doorbell: a client has new work. The ringing thread publishes the work before it sets this flag. The owner
     * clears the flag before it looks for work, and reads it again after it has unlocked.
     */
    private volatile boolean doorbell;

    private volatile long nextDeadlineNs = Deadline.NEVER;

    /** Time of the last run that read the clock, and of the last run with work; hints for polling threads. */
    private long lastRunNs;

    private long workedNs;

    /**
     * True if {@link #lastRunNs} is the time of this run: the clock was read, or the caller of {@link #progress} passed
     * the time.
     */
    private boolean timed;

    /** True if a thread has done work of a client without the loop, since the last run. */
    private volatile boolean workedOutside;

    /** True if the clients run even if they are idle: a doorbell was set, or the caller changed state. */
    private boolean due;

    /** True if the last run left nothing to do until a device, a doorbell or a deadline brings work. */
    private volatile boolean resting;

    /** True if an application thread polls in this run. */
    private boolean polled;

    /** Called when there is new work, see {@link #onDue}. */
    private volatile Runnable dueListener = () -> {};

    /**
     * Creates a loop with a random key for flow hashes, or with key 0 in {@link ProgressMode#MANUAL} mode.
     *
     * @param clock of all devices, timers and clients
     * @param mode which threads run the loop
     */
    public NetLoop(NanoClock clock, ProgressMode mode) {
        this(clock, mode, mode == ProgressMode.AUTOMATIC ? new SecureRandom().nextLong() : 0);
    }

    /**
     * Creates a loop without devices and clients.
     *
     * @param clock of all devices, timers and clients
     * @param mode which threads run the loop
     * @param flowSecret key of the flow hashes
     */
    public NetLoop(NanoClock clock, ProgressMode mode, long flowSecret) {
        this.clock = clock;
        this.mode = mode;
        this.flowSecret = flowSecret;
        this.poller = new NapiPoller(this, threads);
        this.sleep = new LoopWait(this, threads);
    }

    long flowSecret() {
        return flowSecret;
    }

    // Devices and clients

    /**
     * Adds a device; any thread.
     *
     * @param device registered or not
     * @throws RdmaException EBUSY if another loop drives the device
     */
    public synchronized void add(NetDevice device) {
        device.napis().attach(poller);
        devices.add(device);
        threads.add(device);
    }

    /**
     * Removes a device, which must be down; any thread. Does nothing if the loop does not drive it.
     *
     * @param device of this loop, or any other
     */
    public synchronized void remove(NetDevice device) {
        threads.remove(device);
        exclusively(() -> devices.remove(device));
    }

    /**
     * Adds a client, which runs in each round from now on; any thread.
     *
     * @param client called by the owner only
     */
    public void add(LoopClient client) {
        clients.add(client);
    }

    /**
     * Removes a client; any thread. The loop does not call it after this method returns.
     *
     * @param client of this loop, or any other
     */
    public void remove(LoopClient client) {
        exclusively(() -> clients.remove(client));
    }

    /**
     * In {@link ProgressMode#AUTOMATIC} mode, starts the loop threads; otherwise does nothing.
     *
     * @param name prefix of the threads' names
     */
    public void start(String name) {
        if (mode == ProgressMode.AUTOMATIC) {
            threads.start(name);
        }
    }

    /** Stops the loop threads, and waits until they have ended. */
    @Override
    public void close() {
        threads.stop();
    }

    /** {@return the requests that limit how long the loop's threads sleep} */
    public LatencyRequests latency() {
        return latency;
    }

    /** {@return the interrupt vectors that wake the loop threads} */
    public Interrupts interrupts() {
        return threads.interrupts();
    }

    /** {@return the sleeps of threads that wait for the loop} */
    public LoopWait sleep() {
        return sleep;
    }

    // Progress

    /**
     * Sets the doorbell: a client has new work, which its next {@link LoopClient#work} finds. Any thread. In {@link
     * ProgressMode#AUTOMATIC} mode the calling thread runs the loop at once if no other thread owns it.
     */
    public void ring() {
        doorbell = true;
        if (mode == ProgressMode.AUTOMATIC) {
            work(false, Softnet.NO_WORKER);
        } else {
            dueListener.run();
        }
    }

    /**
     * Sets what is called when the loop has new work before {@link #nextDeadlineNs}: a doorbell was set, a packet has
     * arrived, or an operation of the control path has run. For {@link ProgressMode#MANUAL} mode; the caller of {@link
     * #progress} then need not ask each loop.
     *
     * @param listener called by any thread; short, and must not call the loop
     */
    public void onDue(Runnable listener) {
        dueListener = listener;
    }

    /** Reports new work in {@link ProgressMode#MANUAL} mode. */
    void reportDue() {
        if (mode == ProgressMode.MANUAL) {
            dueListener.run();
        }
    }

    /**
     * Notes that the calling thread has done work of a client without the loop. The next run takes its time for that of
     * the work, so threads that poll do not yield their CPU. No run becomes due. Any thread.
     */
    public void noteWork() {
        if (!workedOutside) {
            workedOutside = true;
        }
    }

    /**
     * As {@link #ring}; then wakes the leading loop thread and the thread in a caller wait, which look for more work.
     * Any thread.
     */
    public void wake() {
        ring();
        threads.wake();
    }

    /** {@return true in {@link ProgressMode#AUTOMATIC} mode: threads that post run the loop} */
    public boolean isAutomatic() {
        return mode == ProgressMode.AUTOMATIC;
    }

    /** {@return true if the calling thread is the owner of the loop} */
    public boolean isInside() {
        return lock.isOwned();
    }

    /**
     * Runs the loop once for a thread that polls for an event. Any thread; does nothing in {@link ProgressMode#MANUAL}
     * mode. If there was no work for 20 µs, the call yields the CPU, and does nothing within 2 µs of a run that asked
     * the operating system and got no packets. Before that, most calls only look whether a device has packets.
     */
    public void poll() {
        if (mode != ProgressMode.AUTOMATIC) {
            return;
        }
        long count = pacing.count();
        boolean idle = PollPacing.isIdle(lastRunNs - workedNs);
        if (!idle && !PollPacing.isRunDue(count) && isQuiet()) {
            return;
        }
        long startNs = idle ? clock.nanoTime() : 0;
        if (idle && pacing.isPausing(startNs)) {
            return;
        }
        boolean looksAtClock = idle || PollPacing.isClockDue(count);
        if (!work(true, Softnet.NO_WORKER, looksAtClock) && idle) {
            pacing.giveWay(startNs, lastRunNs);
        }
    }

    /** True if a run would find nothing to do at present, but for a deadline. Any thread; a hint. */
    private boolean isQuiet() {
        return resting && !doorbell && !poller.hasPackets(Softnet.NO_WORKER) && devices.areQuiet();
    }

    /** Number of polls by application threads; the loop threads read it. */
    long polls() {
        return pacing.polls();
    }

    /**
     * Takes the loop's lock if it is free, for a client that has new work; no doorbell is needed then. The new owner
     * puts the work where {@link LoopClient#work} finds it, and calls {@link #workAndLeave} at once.
     *
     * @return true if the calling thread is the owner now; false if a thread owns the loop already, also if it is the
     *     caller, or if the mode is {@link ProgressMode#MANUAL}. After false, the client publishes the work for any
     *     thread and calls {@link #ring}
     */
    public boolean enter() {
        if (mode != ProgressMode.AUTOMATIC || !lock.tryLock()) {
            return false;
        }
        due = true;
        return true;
    }

    /** Runs the loop and unlocks it, as {@link #ring} does; for a thread for which {@link #enter} returned true. */
    public void workAndLeave() {
        workAndLeave(false, Softnet.NO_WORKER, true);
        if (doorbell) {
            work(false, Softnet.NO_WORKER);
        }
    }

    /**
     * Runs the loop if no other thread owns it.
     *
     * @param worker number of the calling loop thread, or {@link Softnet#NO_WORKER}
     * @return true if anything was received or sent
     */
    boolean work(boolean receive, int worker) {
        return work(receive, worker, true);
    }

    /** Runs the loop again if the doorbell was set meanwhile, because the thread that set it does not wait. */
    private boolean work(boolean receive, int worker, boolean looksAtClock) {
        boolean worked = false;
        while (lock.tryLock()) {
            worked |= workAndLeave(receive, worker, looksAtClock);
            if (!doorbell) {
                break;
            }
        }
        return worked;
    }

    /**
     * Runs the loop and unlocks it. A thread that sets the doorbell after the caller has read it finds the lock free.
     */
    private boolean workAndLeave(boolean receive, int worker, boolean looksAtClock) {
        try {
            timed = false;
            return runOnce(receive, worker, looksAtClock);
        } catch (InternalError late) {
            // Compiled code throws for a bad access to memory some instructions later, which may be after the run.
            breakDown(late);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Runs everything that is due at {@code nowNs}; for {@link ProgressMode#MANUAL} mode, in which the caller sets the
     * time.
     *
     * @param nowNs nanoseconds of the loop's clock
     * @return true if anything was received or sent: there may be more
     */
    public boolean progress(long nowNs) {
        lock.lock();
        try {
            lastRunNs = nowNs;
            timed = true;
            due = true;
            return runOnce(true, Softnet.NO_WORKER, true);
        } finally {
            lock.unlock();
        }
    }

    /**
     * {@return time at which {@link #progress} must be called at the latest if no packet arrives before, nanoseconds of
     * the loop's clock} The time is in the past if there is more work or a packet has arrived. Any thread.
     */
    public long nextDeadlineNs() {
        return poller.hasPackets(Softnet.NO_WORKER) ? lastRunNs : nextDeadlineNs;
    }

    /**
     * Runs an operation of the control path while no other thread owns the loop. Waits for the lock, unless the caller
     * owns the loop.
     *
     * @param <T> type of the result
     * @param operation short, because packets wait meanwhile
     * @return the result of the operation
     */
    public <T> T exclusively(Supplier<T> operation) {
        if (lock.isOwned()) {
            return operation.get();
        }
        T result;
        lock.lock();
        try {
            result = operation.get();
        } finally {
            due = true;
            resting = false;
            lock.unlock();
        }
        reportDue();
        if (doorbell && mode == ProgressMode.AUTOMATIC) {
            work(false, Softnet.NO_WORKER);
        }
        return result;
    }

    /**
     * As {@link #exclusively(Supplier)}, without a result.
     *
     * @param operation short, because packets wait meanwhile
     */
    public void exclusively(Runnable operation) {
        exclusively(() -> {
            operation.run();
            return this;
        });
    }

    // For the owner of the loop

    /**
     * Queues {@code timed} for its current deadline; by the owner.
     *
     * @param timed queued or not
     */
    public void schedule(Timed timed) {
        deadlines.update(timed);
    }

    /**
     * Removes {@code timed} from the queue of deadlines; by the owner.
     *
     * @param timed queued or not
     */
    public void unschedule(Timed timed) {
        deadlines.remove(timed);
    }

    /**
     * {@return the time of this run, nanoseconds of the loop's clock} The first call in a run reads the clock. By the
     * owner.
     */
    public long nowNs() {
        if (!timed) {
            timed = true;
            lastRunNs = clock.nanoTime();
        }
        return lastRunNs;
    }

    /**
     * {@return true if an application thread polls in this run} Such a thread calls again soon if it does not find its
     * event. By the owner.
     */
    public boolean isPolled() {
        return polled;
    }

    /**
     * Runs the loop and catches every {@link Throwable}, because the calling thread belongs to the application, or is a
     * loop thread that must not end. Clients' own errors are caught before. An error that arrives here comes from a
     * device or from state that all clients share.
     */
    private boolean runOnce(boolean receive, int worker, boolean looksAtClock) {
        try {
            return rounds(receive, worker, looksAtClock);
        } catch (Throwable error) {
            Napi broken = poller.abort();
            if (broken == null || !devices.breakDown(broken, error)) {
                breakDown(error);
            }
            due = true;
            resting = false;
            nextDeadlineNs = nowNs();
            return true;
        }
    }

    /** Takes all clients out of service after an error in state that they share. By the owner. */
    private void breakDown(Throwable error) {
        errors.error("the packet path of a host has failed: all of its RDMA devices are out of service", error);
        clients.breakDown(error);
    }

    /**
     * Handles an error that a device's driver has thrown outside of a run, see {@link LoopThread}. Any thread; does not
     * throw.
     */
    void fail(NetDevice device, Throwable error) {
        exclusively(() -> devices.breakDown(device, error));
    }

    LoopErrors errors() {
        return errors;
    }

    private boolean rounds(boolean receive, int worker, boolean looksAtClock) {
        polled = receive && worker == Softnet.NO_WORKER && mode == ProgressMode.AUTOMATIC;
        boolean worked = workedOutside;
        if (worked) {
            workedOutside = false;
        }
        boolean more = false;
        boolean again = true;
        int budget = receive ? poller.enter() : 0;
        for (int round = 0; again && round < MAX_ROUNDS; round++) {
            if (doorbell) {
                doorbell = false;
                due = true;
            }
            int received = budget > 0 ? poller.poll(budget, worker) : 0;
            budget -= received;
            boolean fired = looksAtClock && deadlines.fireDue(nowNs(), clients);
            if (due || fired || received > 0 || !clients.areIdle()) {
                due = false;
                worked |= clients.work(nowNs()) || received > 0;
                more = clients.haveMore();
            }
            devices.send();
            again = doorbell || budget > 0 && poller.hasPackets(worker);
        }
        if (receive) {
            poller.leave(budget, worker);
        }
        setNextDeadline(more ? nowNs() : deadlines.nextNs());
        boolean rests = polled && !more && !devices.areSending() && clients.areIdle();
        if (rests != resting) {
            resting = rests;
        }
        if (worked) {
            workedNs = nowNs();
        }
        return worked;
    }

    /**
     * Avoids the write, which is a fence, if the deadline is unchanged; this is the usual case while a thread polls.
     */
    private void setNextDeadline(long timeNs) {
        if (timeNs != nextDeadlineNs) {
            nextDeadlineNs = timeNs;
        }
    }

    /** Notes that a device has packets to send; by the owner. */
    void expectFlush() {
        devices.expectFlush();
    }

    // For loop threads and caller waits

    /** True if a device has packets to be polled, or packets wait for a worker; any thread. */
    boolean hasPackets(int worker) {
        return poller.hasPackets(worker);
    }

    /** Announces that a thread is about to sleep; false if a client has work. Any thread. */
    boolean beforeSleep(int sleeper) {
        return clients.beforeSleep(sleeper);
    }

    /** Announces that the thread no longer sleeps. Any thread. */
    void afterSleep(int sleeper) {
        clients.afterSleep(sleeper);
    }

    /**
     * True if there was work within 8 ms, and an application thread has polled a client without success since the last
     * call.
     */
    boolean isAwaited(long nowNs) {
        return nowNs - workedNs < AWAITED_NS && clients.areAwaited();
    }

    /** Mask of workers, bit 0 for worker 0; all bits are set in {@link ProgressMode#MANUAL} mode. */
    long workers() {
        return mode == ProgressMode.MANUAL ? -1 : threads.mask();
    }

    /** True if a packet waits for a device that did not accept it; any thread, a hint. */
    boolean isHeldBack() {
        return devices.areHeldBack() || clients.areHeldBack();
    }

    /** {@return the clock of the loop} */
    public NanoClock clock() {
        return clock;
    }

    // Limits

    /**
     * {@return maximum number of packets that one run receives from all devices ({@code netdev_budget}); 300 by
     * default}
     */
    public int budget() {
        return poller.budget();
    }

    /**
     * Sets the maximum number of packets of a run; any thread, from the next run on.
     *
     * @param packets at least 1
     * @throws RdmaException EINVAL if {@code packets} is less than 1
     */
    public void budget(int packets) {
        poller.budget(packets);
    }

    /** {@return the backlogs and counters of the loop's workers} */
    public Softnet softnet() {
        return poller.softnet();
    }
}
