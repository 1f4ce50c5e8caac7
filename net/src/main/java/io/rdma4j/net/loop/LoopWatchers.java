package io.rdma4j.net.loop;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The workers of a loop, which are threads: worker 0, which leads, looks at the deadlines and waits for the first device that can be
 * waited for, and one more for each further such device.
 */
final class LoopWatchers {
    private final NetLoop loop;
    private final Interrupts interrupts = new Interrupts(this);
    private final DirectSleep directSleep;
    private final List<DeviceInterrupt> devices = new ArrayList<>();
    private volatile LoopWatcher[] watchers = {};
    private @Nullable String name;
    private @Nullable Thread last;

    LoopWatchers(NetLoop loop) {
        this.loop = loop;
        this.directSleep = new DirectSleep(loop, this);
    }

    DirectSleep directSleep() {
        return directSleep;
    }

    /** Who sleeps elsewhere than in the only device would miss what the others bring. */
    private void choosePlace() {
        directSleep.place(name != null && devices.size() == 1 ? devices.getFirst() : null);
    }

    Interrupts interrupts() {
        return interrupts;
    }

    /** Begins to watch; {@code loopName} is for people. Nothing happens if it was begun. */
    synchronized void start(String loopName) {
        if (name == null) {
            name = loopName;
            last = LoopWatcher.atExit(loop);
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
        LoopWatcher watcher = new LoopWatcher(threadName, number, loop, interrupts, awaited);
        watchers = Arrays.copyOf(watchers, watchers.length + 1);
        watchers[watchers.length - 1] = watcher;
        watcher.start();
    }

    /** The device is waited for from now on, if that can be done: it gets a vector of its own, whose handler schedules its receiver. */
    synchronized void add(NetDevice device) {
        if (device.driver().hasInterrupt()) {
            InterruptVector vector = interrupts.allocate(true);
            vector.add(_ -> device.napi().schedule() || device.napi().isScheduled(), false, device.name(), device);
            device.napis().irq(vector.number());
            DeviceInterrupt awaited = new DeviceInterrupt(device, vector);
            devices.add(awaited);
            if (name != null && !watchers[0].attach(awaited)) {
                watch(threadName(awaited), awaited);
            }
            choosePlace();
        }
    }

    /** Nobody waits for the device any more when this returns. */
    @SuppressWarnings("ReferenceEquality") // a device, a watcher is itself
    synchronized void remove(NetDevice device) {
        devices.removeIf(awaited -> awaited.device() == device);
        choosePlace();
        for (LoopWatcher watcher : watchers) {
            DeviceInterrupt former = watcher.detach(device);
            if (former != null) {
                former.vector().remove(device);
                interrupts.release(former.vector());
                device.napis().irq(0);
                if (watcher.number() != 0) {
                    watcher.stop();
                    watchers = Arrays.stream(watchers).filter(w -> w != watcher).toArray(LoopWatcher[]::new);
                }
            }
        }
    }

    /** Ends the threads and waits until they have ended. */
    synchronized void stop() {
        name = null;
        choosePlace();
        for (LoopWatcher watcher : watchers) {
            watcher.stop();
        }
        watchers = new LoopWatcher[0];
        LoopWatcher.forgetExit(last);
        last = null;
    }

    /** Which workers there are, bit 0 for worker 0. */
    long mask() {
        long mask = 0;
        for (LoopWatcher watcher : watchers) {
            mask |= 1L << watcher.number();
        }
        return mask;
    }

    /** {@code woken} if it is one of {@code allowed}, else the first of them, and if all of those have gone {@code woken} again. */
    LoopWatcher first(long allowed, LoopWatcher woken) {
        if ((allowed >>> woken.number() & 1) != 0) {
            return woken;
        }
        for (LoopWatcher watcher : watchers) {
            if ((allowed >>> watcher.number() & 1) != 0) {
                return watcher;
            }
        }
        return woken;
    }

    /** There is something to do: if none of the workers says so, and the one that leads sleeps, that one wakes. Any thread. */
    void wake() {
        LoopWatcher[] all = watchers;
        for (LoopWatcher watcher : all) {
            if (watcher.isCurrentThread()) {
                return;
            }
        }
        directSleep.wake();
        if (all.length > 0) {
            all[0].wake();
        }
    }

    /** There is something to do for one worker: if it sleeps, it wakes. Any thread. */
    void wake(int worker) {
        directSleep.wake();
        for (LoopWatcher watcher : watchers) {
            if (watcher.number() == worker && !watcher.isCurrentThread()) {
                watcher.wake();
            }
        }
    }

    /** An application thread is inside, and sleeps in the device: the watcher that does so leaves. */
    void makeRoom() {
        LoopWatcher[] all = watchers;
        if (all.length > 0) {
            all[0].wake();
        }
    }

    /** All that sleep wake. */
    void wakeAll() {
        for (LoopWatcher watcher : watchers) {
            watcher.wake();
        }
    }

    /** The calling thread is about to sleep and will not come by. */
    void takeOver() {
        for (LoopWatcher watcher : watchers) {
            watcher.takeOver();
        }
    }
}
