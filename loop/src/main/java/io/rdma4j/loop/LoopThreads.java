// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.receive.Napi;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The loop threads of a loop, numbered as workers. Worker 0 leads: it serves the deadlines and sleeps in the first
 * device that has an interrupt. Each further device with an interrupt has a worker of its own.
 */
final class LoopThreads {
    private final NetLoop loop;
    private final Interrupts interrupts = new Interrupts(this);
    private final CallerWait directSleep;
    private final List<DeviceInterrupt> devices = new ArrayList<>();

    /** Replaced, not changed, when a device comes or goes. */
    private volatile IdentityHashMap<Napi, Signal> signals = new IdentityHashMap<>();

    private volatile LoopThread[] threads = {};
    private @Nullable String name;
    private @Nullable Thread last;

    /** The vector of a device whose link announces packets ({@link NetDeviceOps#isSignalled}), and its receiver. */
    private record Signal(NetDevice device, InterruptVector vector) {}

    LoopThreads(NetLoop loop) {
        this.loop = loop;
        this.directSleep = new CallerWait(loop, this);
    }

    CallerWait directSleep() {
        return directSleep;
    }

    /**
     * Allows caller waits only with a single device: a thread that sleeps in one device would miss the packets of the
     * others.
     */
    private void choosePlace() {
        directSleep.place(name != null && devices.size() == 1 ? devices.getFirst() : null);
    }

    Interrupts interrupts() {
        return interrupts;
    }

    /** Starts the threads; {@code loopName} is part of their names. Does nothing if they are started. */
    synchronized void start(String loopName) {
        if (name == null) {
            name = loopName;
            last = LoopThread.atExit(loop);
            watch(loopName, devices.isEmpty() ? null : devices.getFirst());
            for (int i = 1; i < devices.size(); i++) {
                watch(threadName(devices.get(i)), devices.get(i));
            }
            choosePlace();
        }
    }

    private String threadName(DeviceInterrupt awaited) {
        return name + "-" + awaited.device().name();
    }

    private void watch(String threadName, @Nullable DeviceInterrupt awaited) {
        int number = Long.numberOfTrailingZeros(~mask());
        if (number == InterruptVector.MAX_WORKERS) {
            throw new RdmaException(
                    Errno.ENOSPC, "no worker is left for " + threadName + ": there are " + InterruptVector.MAX_WORKERS);
        }
        LoopThread thread = new LoopThread(threadName, number, loop, interrupts, awaited);
        threads = Arrays.copyOf(threads, threads.length + 1);
        threads[threads.length - 1] = thread;
        thread.start();
    }

    /**
     * Adds a device that has an interrupt, with a vector of its own whose handler schedules its receiver. Ignores other
     * devices.
     */
    synchronized void add(NetDevice device) {
        if (device.driver().hasInterrupt()) {
            InterruptVector vector = interrupts.allocate(true);
            vector.add(_ -> device.napi().schedule() || device.napi().isScheduled(), false, device.name(), device);
            device.napis().irq(vector.number());
            DeviceInterrupt awaited = new DeviceInterrupt(device, vector);
            devices.add(awaited);
            if (name != null && !threads[0].attach(awaited)) {
                watch(threadName(awaited), awaited);
            }
            choosePlace();
        } else if (device.driver().isSignalled()) {
            InterruptVector vector = interrupts.allocate(true);
            vector.add(_ -> true, false, device.name(), device);
            device.napis().irq(vector.number());
            IdentityHashMap<Napi, Signal> more = new IdentityHashMap<>(signals);
            more.put(device.napi(), new Signal(device, vector));
            signals = more;
        }
    }

    /**
     * Counts that the link of a device has announced packets, at the worker that the vector's affinity selects.
     *
     * @param wakes true to wake that worker
     * @return false if the device has no such vector
     */
    boolean signal(Napi napi, boolean wakes) {
        Signal signal = signals.get(napi);
        if (signal == null) {
            return false;
        }
        int worker = Long.numberOfTrailingZeros(signal.vector.affinity());
        signal.vector.handle(worker);
        if (wakes && worker == 0) {
            wake();
        } else if (wakes) {
            wake(worker);
        }
        return true;
    }

    /** Removes a device. No thread sleeps in it when this method returns. */
    @SuppressWarnings("ReferenceEquality") // a device, a thread is itself
    synchronized void remove(NetDevice device) {
        devices.removeIf(awaited -> awaited.device() == device);
        for (Map.Entry<Napi, Signal> entry : signals.entrySet()) {
            Signal signal = entry.getValue();
            if (signal.device == device) {
                IdentityHashMap<Napi, Signal> fewer = new IdentityHashMap<>(signals);
                fewer.remove(entry.getKey());
                signals = fewer;
                signal.vector.remove(device);
                interrupts.release(signal.vector);
                device.napis().irq(0);
            }
        }
        choosePlace();
        for (LoopThread thread : threads) {
            DeviceInterrupt former = thread.detach(device);
            if (former != null) {
                former.vector().remove(device);
                interrupts.release(former.vector());
                device.napis().irq(0);
                if (thread.number() != 0) {
                    thread.stop();
                    threads = Arrays.stream(threads).filter(w -> w != thread).toArray(LoopThread[]::new);
                }
            }
        }
    }

    /** Stops the threads and waits until they have ended. */
    synchronized void stop() {
        name = null;
        choosePlace();
        for (LoopThread thread : threads) {
            thread.stop();
        }
        threads = new LoopThread[0];
        LoopThread.forgetExit(last);
        last = null;
    }

    /** Mask of workers, bit 0 for worker 0. */
    long mask() {
        long mask = 0;
        for (LoopThread thread : threads) {
            mask |= 1L << thread.number();
        }
        return mask;
    }

    /**
     * Returns {@code woken} if {@code allowed} contains it, else the first worker in {@code allowed}, else {@code
     * woken}.
     */
    LoopThread first(long allowed, LoopThread woken) {
        if ((allowed >>> woken.number() & 1) != 0) {
            return woken;
        }
        for (LoopThread thread : threads) {
            if ((allowed >>> thread.number() & 1) != 0) {
                return thread;
            }
        }
        return woken;
    }

    /**
     * Wakes the leading loop thread and the thread in a caller wait if they sleep. Does nothing if the calling thread
     * is a worker. Any thread.
     */
    void wake() {
        LoopThread[] all = threads;
        for (LoopThread thread : all) {
            if (thread.isCurrentThread()) {
                return;
            }
        }
        directSleep.wake();
        if (all.length > 0) {
            all[0].wake();
        }
    }

    /** Wakes a worker and the thread in a caller wait if they sleep; any thread. */
    void wake(int worker) {
        directSleep.wake();
        for (LoopThread thread : threads) {
            if (thread.number() == worker && !thread.isCurrentThread()) {
                thread.wake();
            }
        }
    }

    /**
     * Ends the sleep of the leading loop thread in the device, because an application thread is about to sleep there.
     */
    void makeRoom() {
        LoopThread[] all = threads;
        if (all.length > 0) {
            all[0].wake();
        }
    }

    /** Wakes all workers that sleep. */
    void wakeAll() {
        for (LoopThread thread : threads) {
            thread.wake();
        }
    }

    /** Makes all workers run the loop, because the calling application thread is about to block. */
    void takeOver() {
        for (LoopThread thread : threads) {
            thread.takeOver();
        }
    }
}
