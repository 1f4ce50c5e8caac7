// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm.gsi;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.NanoClock;
import io.rdma4j.cm.Cm;
import io.rdma4j.cm.CmAddress;
import io.rdma4j.cm.CmOptions;
import io.rdma4j.mad.MadAgent;
import io.rdma4j.mad.MadAgentSetup;
import io.rdma4j.mad.MadRegistration;
import io.rdma4j.mad.ReceivedMad;
import io.rdma4j.mad.gsi.GeneralServices;
import io.rdma4j.mad.gsi.TimedWork;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.PortAnnouncement;
import io.rdma4j.verbs.device.PortCapability;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;

/**
 * The communication manager of a device. It serves all ports, and sets {@link PortCapability#CM_SUP} on them. Any
 * thread.
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
    private final List<GeneralServices> ports = new ArrayList<>();
    private final List<MadAgent> agents = new ArrayList<>();
    private final List<PortAnnouncement> announcements = new ArrayList<>();
    private final TimedWork timers = this::advance;
    private final ReentrantLock lock;
    private final GsiDevice device;
    private final Cm cm;
    private boolean isClosed;

    private CmServices(CmOptions options, NanoClock clock, ReentrantLock lock, IntFunction<GeneralServices> open) {
        this.clock = clock;
        this.lock = lock;
        lock.lock(); // Datagrams that arrive wait until the manager exists.
        try {
            ports.add(open.apply(1));
            Context context = ports.getFirst().context();
            int count = context.queryDevice().physicalPortCount();
            for (int port = 2; port <= count; port++) {
                ports.add(open.apply(port));
            }
            ports.forEach(port -> agents.add(port.register(MadAgentSetup.DEFAULT
                    .registration(MadRegistration.of(MadClass.COM_MGT, MadMethod.SEND.code(), MadMethod.GET.code()))
                    .onSent((_, _) -> {})
                    .onReceived((_, mad) -> received(mad)))));
            device = new GsiDevice(context, agents);
            cm = new Cm(device, options.withAgent(agents.getFirst().number()), clock.nanoTime());
            for (int port = 1; port <= count; port++) {
                announcements.add(context.port(port).announce(PortCapability.CM_SUP));
            }
            ports.getFirst().add(timers);
        } catch (RuntimeException e) {
            leavePorts();
            throw e;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Makes the communication manager of a device; daemon threads drive it.
     *
     * @param device a present device
     * @param options limits and the seed
     * @return the manager; the caller closes it
     * @throws io.rdma4j.base.RdmaException as {@link GeneralServices#open}; EINVAL if the device has a communication
     *     manager already
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
        return new CmServices(options, NanoClock.SYSTEM, lock, port -> GeneralServices.open(device, port));
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
        return new CmServices(options, clock, lock, port -> GeneralServices.openDrivenByCaller(device, port));
    }

    /** {@return the context of the queue pairs of the ports} */
    public Context context() {
        return ports.getFirst().context();
    }

    /**
     * {@return the general services of a port, for a caller that drives it}
     *
     * @param port from 1
     */
    public GeneralServices port(int port) {
        return ports.get(port - 1);
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
            ports.getFirst().wakeup();
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
        return device.unsent.get();
    }

    private void received(ReceivedMad mad) {
        try (mad) {
            CmAddress source = new CmAddress(mad.from().vector(), mad.from().pkeyIndex());
            run(cm -> {
                if (!isClosed) {
                    cm.received(mad.datagram(), source);
                }
            });
        }
    }

    private long advance(long nowNs) {
        lock.lock();
        try {
            return cm.advance(nowNs);
        } finally {
            lock.unlock();
        }
    }

    /** Destroys all ids, which rejects requests and disconnects connections, and leaves the ports. Idempotent. */
    @Override
    public void close() {
        lock.lock();
        try {
            if (isClosed) {
                return;
            }
            isClosed = true;
            cm.destroyIds();
        } finally {
            lock.unlock();
        }
        ports.getFirst().remove(timers);
        leavePorts();
    }

    private void leavePorts() {
        announcements.forEach(PortAnnouncement::close);
        agents.forEach(MadAgent::close);
        ports.forEach(GeneralServices::close);
    }
}
