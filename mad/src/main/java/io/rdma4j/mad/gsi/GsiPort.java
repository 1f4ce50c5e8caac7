// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad.gsi;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.mad.MadAddress;
import io.rdma4j.mad.MadAgent;
import io.rdma4j.mad.MadAgentSetup;
import io.rdma4j.mad.MadPort;
import io.rdma4j.mad.MadRegistration;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.PortAnnouncement;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.device.LinkLayer;
import io.rdma4j.verbs.device.PortCapability;
import io.rdma4j.verbs.values.Owner;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.WorkCompletion;
import io.rdma4j.wire.mad.MadClass;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The owner of queue pair 1 of a port, and of queue pair 0 if there are agents for it. All users of the port in this
 * process share it.
 */
final class GsiPort {
    /** Send and receive requests, as in Linux. */
    static final int SENDS = 128;

    static final int RECEIVES = 512;

    private static final int BATCH = 64;
    private static final int MAX_BATCHES = 32;
    private static final int DEFAULT_PKEY = 0xFFFF;

    private record Key(Device device, int port) {}

    /** Ports that are in use now. A port has one queue pair 0 and 1, so the process has one owner for them. */
    private static final Map<Key, GsiPort> OPEN = new HashMap<>();

    private final Key key;
    private final boolean isThreaded;
    private final Context context;
    private final CompletionQueue cq;
    private final ProtectionDomain pd;
    private final MadQp qp;
    private final @Nullable GsiThread thread;
    private final List<TimedWork> timedWork = new CopyOnWriteArrayList<>();
    private final ReentrantLock polling = new ReentrantLock();

    /** What {@link #close} closes, last opened first. */
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    /** Queue pair 0; null until the first agent for it is registered. */
    private volatile @Nullable MadQp management;

    private int users;
    private volatile boolean tablesChanged;
    private volatile boolean removed;

    private GsiPort(Key key, boolean isThreaded) {
        this.key = key;
        this.isThreaded = isThreaded;
        try {
            // As for a client: the use of the device by the program is that of the users of the port.
            context = opened(key.device.open(Owner.current()));
            if (key.port < 1 || key.port > context.queryDevice().physicalPortCount()) {
                throw new RdmaException(
                        Errno.ENODEV,
                        "port " + key.port + " of " + key.device.name() + " is not in 1.."
                                + context.queryDevice().physicalPortCount());
            }
            CompletionChannel channel = opened(context.createCompletionChannel());
            cq = opened(context.createCq(2 * (SENDS + RECEIVES), channel));
            pd = opened(context.allocatePd());
            thread = isThreaded
                    ? new GsiThread("rdma4j-mad-" + key.device.name() + "-" + key.port, channel, cq, this::progress)
                    : null;
            qp = start(QpType.GSI);
            opened(context.registerEventHandler(this::event));
        } catch (RuntimeException e) {
            closeAll();
            throw e;
        }
        if (thread != null) {
            thread.start();
        }
    }

    private <T extends AutoCloseable> T opened(T object) {
        opened.push(object);
        return object;
    }

    private MadQp start(QpType type) {
        QueuePair queuePair = opened(pd.createQp(QpInitAttributes.builder(cq)
                .type(type)
                .port(key.port)
                .capabilities(QpCapabilities.of(SENDS, RECEIVES))
                .build()));
        queuePair.modify(QpAttributes.builder()
                .state(QpState.INIT)
                .pkeyIndex(pkeyIndex())
                .qkey(type == QpType.SMI ? 0 : MadAddress.GSI_QKEY)
                .build());
        MadQp carrier = new MadQp(context, key.port, queuePair, this::wakeup, new SecureRandom().nextLong());
        // Closed after the queue pair, whose requests use its memory.
        opened.pop();
        opened.push(carrier);
        opened.push(queuePair);
        queuePair.modify(QpAttributes.builder().state(QpState.RTR).build());
        queuePair.modify(QpAttributes.builder().state(QpState.RTS).sqPsn(0).build());
        return carrier;
    }

    private int pkeyIndex() {
        try {
            return context.pkeyIndex(key.port, DEFAULT_PKEY);
        } catch (RdmaException e) {
            return 0;
        }
    }

    private void event(AsyncEvent event) {
        switch (event.type()) {
            case GID_CHANGE, PKEY_CHANGE, LID_CHANGE -> tablesChanged = true;
            case DEVICE_FATAL -> removed = true;
            default -> {
                return;
            }
        }
        wakeup();
    }

    /** Returns the owner of a port, and creates it for its first user. */
    static GsiPort acquire(Device device, int port, boolean isThreaded) {
        synchronized (OPEN) {
            GsiPort owner = OPEN.computeIfAbsent(new Key(device, port), key -> new GsiPort(key, isThreaded));
            if (owner.isThreaded != isThreaded) {
                throw new RdmaException(
                        Errno.EBUSY,
                        "port " + port + " of " + device.name() + " is driven by "
                                + (owner.isThreaded ? "its thread" : "its first user") + " already");
            }
            owner.users++;
            return owner;
        }
    }

    /** Ends the use of one user; the last one closes the owner. */
    void release() {
        synchronized (OPEN) {
            users--;
            if (users > 0) {
                return;
            }
            OPEN.remove(key);
        }
        // Without the lock, because a handler that runs now may open or close other ports.
        close();
    }

    private void close() {
        if (thread != null) {
            thread.stop();
        }
        closeAll();
    }

    /**
     * Closes all objects; throws the first failure afterwards, such as EBUSY of a context that users have objects of.
     */
    private void closeAll() {
        RuntimeException failure = null;
        while (!opened.isEmpty()) {
            try {
                opened.pop().close();
            } catch (RuntimeException e) {
                failure = failure == null ? e : failure;
            } catch (Exception e) {
                throw new IllegalStateException("no object of the verbs throws this", e);
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    int port() {
        return key.port;
    }

    MadPort mad() {
        return qp.mad();
    }

    /** Registers an agent. The port has the capability of its class while the agent is open. */
    MadAgent register(MadPort layer, MadAgentSetup setup) {
        MadRegistration registration = setup.registration();
        PortCapability capability = registration == null ? null : capability(registration.mgmtClass());
        if (capability == null) {
            return layer.register(setup);
        }
        PortAnnouncement announcement = context.port(key.port).announce(capability);
        try {
            return layer.register(setup, announcement::close);
        } catch (RuntimeException e) {
            announcement.close();
            throw e;
        }
    }

    /** Returns what an agent of a class announces (IBA 14.2.5.6, CapabilityMask); null if that is nothing. */
    private static @Nullable PortCapability capability(int mgmtClass) {
        MadClass known = MadClass.of(mgmtClass);
        if (known == null) {
            return MadClass.isVendor(mgmtClass) ? PortCapability.VENDOR_CLASS_SUP : null;
        }
        return switch (known) {
            case COM_MGT -> PortCapability.CM_SUP;
            case SNMP -> PortCapability.SNMP_TUNNEL_SUP;
            case DEV_MGT -> PortCapability.DEVICE_MGMT_SUP;
            case BOOT_MGT -> PortCapability.BOOT_MGMT_SUP;
            default -> null;
        };
    }

    /**
     * Returns the layer of queue pair 0; creates the queue pair for its first agent.
     *
     * @throws RdmaException EPROTONOSUPPORT if the port has no subnet management; EBUSY if another program uses the
     *     queue pair
     */
    synchronized MadPort management() {
        MadQp existing = management;
        if (existing == null) {
            if (context.linkLayer(key.port) != LinkLayer.INFINIBAND) {
                throw new RdmaException(
                        Errno.EPROTONOSUPPORT,
                        "port " + key.port + " of " + key.device.name() + " has no subnet management queue pair");
            }
            polling.lock(); // its completions need the field
            try {
                existing = start(QpType.SMI);
                management = existing;
            } finally {
                polling.unlock();
            }
            wakeup();
        }
        return existing.mad();
    }

    void wakeup() {
        if (thread != null) {
            thread.wakeup();
        }
    }

    void add(TimedWork work) {
        timedWork.add(work);
        wakeup();
    }

    void remove(TimedWork work) {
        timedWork.remove(work);
    }

    /** Processes completions and what is due, and runs handlers; returns the next deadline. */
    long progress(long nowNs) {
        poll(nowNs);
        MadQp smi = management;
        advance(nowNs, smi);
        mad().runHandlers();
        if (smi != null) {
            smi.mad().runHandlers();
        }
        long nextNs = advance(nowNs, smi);
        boolean isMore = mad().hasHandlersToRun() || smi != null && smi.mad().hasHandlersToRun();
        return isMore ? nowNs : nextNs;
    }

    private void poll(long nowNs) {
        if (!polling.tryLock()) {
            return;
        }
        try {
            MadQp smi = management;
            if (tablesChanged) {
                tablesChanged = false;
                qp.tablesChanged();
                if (smi != null) {
                    smi.tablesChanged();
                }
            }
            if (removed) {
                qp.die();
                if (smi != null) {
                    smi.die();
                }
            } else {
                complete(nowNs, smi);
            }
            qp.reportFailed(nowNs);
            if (smi != null) {
                smi.reportFailed(nowNs);
            }
        } finally {
            polling.unlock();
        }
    }

    /** Bounded, so that a flood of datagrams does not hold up timers and handlers. */
    private void complete(long nowNs, @Nullable MadQp smi) {
        int batches = 0;
        List<WorkCompletion> done;
        do {
            done = cq.poll(BATCH);
            for (WorkCompletion completion : done) {
                (smi != null && completion.qpNumber() == 0 ? smi : qp).process(completion, nowNs);
            }
            batches++;
        } while (done.size() == BATCH && batches < MAX_BATCHES);
    }

    private long advance(long nowNs, @Nullable MadQp smi) {
        long nextNs = mad().advance(nowNs);
        if (smi != null) {
            nextNs = Deadline.earlier(nextNs, smi.mad().advance(nowNs));
        }
        for (TimedWork work : timedWork) {
            nextNs = Deadline.earlier(nextNs, work.advance(nowNs));
        }
        return nextNs;
    }
}
