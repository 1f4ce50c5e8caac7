// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm.gsi;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Gid;
import io.rdma4j.base.NanoClock;
import io.rdma4j.cm.Cm;
import io.rdma4j.cm.CmOptions;
import io.rdma4j.mad.gsi.GeneralServices;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.device.PortCapability;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A communication manager of a device. It serves all ports, and sets {@link PortCapability#CM_SUP} on them. Several
 * managers, also of other processes, share a device: their communication IDs differ, and a service has one listener.
 * Any thread.
 *
 * <p>A lock protects the {@link Cm} and its ids: {@link #call} and {@link #run} hold it. Handlers of events run on the
 * driver's thread or on that of a caller, with the lock held; they may use all ids but must not block.
 *
 * {@snippet :
 * try (CmServices services = CmServices.open(device, CmOptions.of(new SecureRandom().nextLong()))) {
 *     services.run(cm -> cm.createId((id, event) -> {
 *                 if (event instanceof CmEvent.RepReceived) {
 *                     qp.modify(id.initQpAttributes(QpState.RTR));
 *                     qp.modify(id.initQpAttributes(QpState.RTS));
 *                     id.sendRtu(MemorySegment.NULL);
 *                 }
 *             })
 *             .sendReq(ReqParameters.builder(path, serviceId).queuePair(QpType.RC, qp.qpn(), psn).build()));
 * }
 * }
 */
public final class CmServices implements AutoCloseable {
    private final NanoClock clock;
    private final ReentrantLock lock;
    private final Context context;
    private final CmChannel channel;
    private final GsiDevice device;
    private final Cm cm;
    private volatile Runnable afterwards = () -> {};
    private boolean isClosed;

    private CmServices(Device served, CmOptions options, NanoClock clock, ReentrantLock lock, boolean isThreaded) {
        this.clock = clock;
        this.lock = lock;
        context = served.open();
        CmChannel opened = null;
        try {
            opened = attach(context, options.seed(), isThreaded);
            channel = opened;
            device = new ChannelDevice(context, channel);
            cm = new Cm(device, options.withAgent(channel.agent()).withIds(channel.ids()), clock.nanoTime());
            channel.start(this::advance);
        } catch (RuntimeException e) {
            if (opened != null) {
                opened.close();
            }
            context.close();
            throw e;
        }
    }

    private static CmChannel attach(Context context, long seed, boolean isThreaded) {
        CmAccess access = context.extension(CmAccess.class);
        return access != null ? access.attach() : CmRouter.attach(context.device(), seed, isThreaded);
    }

    /**
     * Makes the communication manager of a device; daemon threads drive it.
     *
     * @param device a present device
     * @param options limits and the seed
     * @return the manager; the caller closes it
     * @throws io.rdma4j.base.RdmaException as {@link GeneralServices#open}; EINVAL if a program
     *     manages the class CM itself
     */
    public static CmServices open(Device device, CmOptions options) {
        return open(device, options, new ReentrantLock());
    }

    /**
     * As {@link #open(Device, CmOptions)}, with a lock that several managers and their user share.
     *
     * @param device a present device
     * @param options limits and the seed
     * @param lock protects the manager and its ids
     * @return the manager; the caller closes it, without the lock
     * @throws io.rdma4j.base.RdmaException as {@link #open(Device, CmOptions)}
     */
    public static CmServices open(Device device, CmOptions options, ReentrantLock lock) {
        return new CmServices(device, options, NanoClock.SYSTEM, lock, true);
    }

    /**
     * Makes the communication manager of ports that the caller drives, for virtual time.
     *
     * @param device a present device
     * @param options limits and the seed
     * @param clock the time that the caller passes to {@link GeneralServices#progress}
     * @return the manager; the caller closes it
     * @throws io.rdma4j.base.RdmaException as {@link GeneralServices#openDrivenByCaller}; EINVAL if the device has a
     *     communication manager already
     */
    public static CmServices openDrivenByCaller(Device device, CmOptions options, NanoClock clock) {
        return openDrivenByCaller(device, options, clock, new ReentrantLock());
    }

    /**
     * As {@link #openDrivenByCaller(Device, CmOptions, NanoClock)}, with a lock that several managers and their user
     * share.
     *
     * @param device a present device
     * @param options limits and the seed
     * @param clock the time that the caller passes to {@link GeneralServices#progress}
     * @param lock protects the manager and its ids
     * @return the manager; the caller closes it, without the lock
     * @throws io.rdma4j.base.RdmaException as {@link #openDrivenByCaller(Device, CmOptions, NanoClock)}
     */
    public static CmServices openDrivenByCaller(Device device, CmOptions options, NanoClock clock, ReentrantLock lock) {
        return new CmServices(device, options, clock, lock, false);
    }

    /** {@return a context of the device, which stays open as long as the manager} */
    public Context context() {
        return context;
    }

    /**
     * Sets what the driver calls without the lock after it has processed messages and timers, and after each {@link
     * #wakeup}.
     *
     * @param action must not block
     */
    public void onProgress(Runnable action) {
        afterwards = action;
    }

    /**
     * {@return the index of a partition in the P_Key table of a port, or -1} A full membership comes before a limited
     * one. Corresponds to {@code ib_find_pkey}.
     *
     * @param port from 1
     * @param pkey 16 bits; bit 15 does not count
     */
    public int pkeyIndex(int port, int pkey) {
        return device.pkeyIndex(port, pkey);
    }

    /** Lets the driver work soon. */
    public void wakeup() {
        channel.wakeup();
    }

    /**
     * Does what is due. Only for a manager that its caller drives.
     *
     * @param nowNs the time; never decreases
     * @return the time of the next call, or {@link Deadline#NEVER}; messages may arrive earlier
     */
    public long progress(long nowNs) {
        return channel.progress(nowNs);
    }

    /**
     * Claims a port of rdma_cm at an address of the device: no other process has it.
     *
     * @param serviceId the service ID of port space and port
     * @param address own address, or a wildcard
     * @param reuse true if other ids that say so, too, may share the port as long as none listens
     * @throws io.rdma4j.base.RdmaException EADDRINUSE if another process has it at this address, EADDRNOTAVAIL if one
     *     of both is a wildcard
     */
    public void bindPort(long serviceId, Gid address, boolean reuse) {
        channel.bindPort(serviceId, address, reuse);
    }

    /**
     * Ends a claim of {@link #bindPort}.
     *
     * @param serviceId as in {@link #bindPort}
     * @param address as in {@link #bindPort}
     */
    public void releasePort(long serviceId, Gid address) {
        channel.releasePort(serviceId, address);
    }

    /**
     * {@return what an action on the communication manager returns}
     *
     * @param <T> type of the result
     * @param action must not block
     */
    public <T> T call(Function<Cm, T> action) {
        long beforeNs;
        long afterNs;
        T result;
        lock.lock();
        try {
            beforeNs = cm.advance(clock.nanoTime());
            result = action.apply(cm);
            afterNs = cm.nextDeadline();
        } finally {
            lock.unlock();
        }
        if (Deadline.earlier(beforeNs, afterNs) != beforeNs) {
            channel.wakeup();
        }
        return result;
    }

    /**
     * Runs an action on the communication manager.
     *
     * @param action must not block
     */
    public void run(Consumer<Cm> action) {
        call(cm -> {
            action.accept(cm);
            return true;
        });
    }

    /** {@return number of datagrams that the MAD layer did not take; they are repeated like lost ones} */
    public long unsent() {
        return channel.unsent();
    }

    private long advance(long nowNs) {
        for (CmDatagram next = channel.receive(); next != null; next = channel.receive()) {
            received(next);
        }
        long nextNs;
        lock.lock();
        try {
            nextNs = cm.advance(nowNs);
        } finally {
            lock.unlock();
        }
        afterwards.run();
        return nextNs;
    }

    private void received(CmDatagram datagram) {
        lock.lock();
        try {
            if (!isClosed) {
                cm.advance(clock.nanoTime());
                cm.received(datagram.mad(), datagram.source());
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Destroys all ids, which rejects requests and disconnects connections, and leaves the ports. Idempotent.
     *
     * @throws io.rdma4j.base.RdmaException EBUSY while objects of {@link #context} are open; a later call closes it
     */
    @Override
    public void close() {
        boolean isFirst;
        lock.lock();
        try {
            isFirst = !isClosed;
            isClosed = true;
            if (isFirst) {
                cm.destroyIds();
            }
        } finally {
            lock.unlock();
        }
        if (isFirst) {
            channel.close();
        }
        context.close();
    }
}
