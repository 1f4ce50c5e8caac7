// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm.gsi;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.cm.Cm;
import io.rdma4j.cm.CmAddress;
import io.rdma4j.cm.CmIdRange;
import io.rdma4j.cm.CmOptions;
import io.rdma4j.mad.MadAddress;
import io.rdma4j.mad.MadAgent;
import io.rdma4j.mad.MadAgentSetup;
import io.rdma4j.mad.MadRegistration;
import io.rdma4j.mad.MadSend;
import io.rdma4j.mad.ReceivedMad;
import io.rdma4j.mad.gsi.GeneralServices;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.values.Owner;
import io.rdma4j.wire.mad.CmMessage;
import io.rdma4j.wire.mad.CmReq;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadCheck;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Shares the queue pairs 1 of a device of this process among its communication managers, which may be in other
 * processes: passes each received CM message to the manager that it is for. A message for none of them is answered as
 * by a manager without ids. Exists from the first {@link #attach} to the end of the last use. Any thread.
 */
public final class CmRouter {
    /**
     * What a manager can occupy here.
     *
     * @param claims listeners and ports
     * @param requests remembered requests of peers
     * @param connections known connections
     */
    record Limits(int claims, int requests, int connections) {
        static final Limits DEFAULT = new Limits(1 << 17, 8192, 1 << 16);
    }

    /** Upper bits of the communication IDs tell the manager; it has 4 million IDs. */
    private static final int MANAGER_BITS = 10;

    private static final int ID_BITS = Integer.SIZE - MANAGER_BITS;

    private static final ReentrantLock OPENING = new ReentrantLock();
    private static final Condition CLOSED = OPENING.newCondition();
    private static final Map<Device, CmRouter> OPEN = new HashMap<>();

    private final Device device;
    private final boolean isThreaded;
    private final Context context;
    private final List<GeneralServices> ports = new ArrayList<>();
    private final List<MadAgent> agents = new ArrayList<>();
    /** Guarded by {@link #OPENING}; 0 while the router is being closed. */
    private int users;

    // Guarded by the lock, which is the innermost one of cm and rdmacm.
    private final ReentrantLock lock = new ReentrantLock();
    private final ServiceClaims<CmClient> claims = new ServiceClaims<>(Limits.DEFAULT.claims());
    private final OpenConnections.Index index = new OpenConnections.Index();
    private final Map<Integer, CmClient> byFirstId = new HashMap<>();
    /** Ranges that no manager has: the one that was given back last comes last. */
    private final Queue<CmIdRange> freeRanges = new ArrayDeque<>();

    /** Answers what is for no manager. */
    private final Cm withoutIds;

    private CmRouter(Device device, long seed, boolean isThreaded) {
        this.device = device;
        this.isThreaded = isThreaded;
        List<CmIdRange> ranges = new ArrayList<>();
        for (int number = 0; number < 1 << MANAGER_BITS; number++) {
            ranges.add(new CmIdRange(number << ID_BITS, ID_BITS));
        }
        SplittableRandom random = new SplittableRandom(seed);
        Collections.shuffle(ranges, random);
        freeRanges.addAll(ranges);
        // As for a client: each manager has its own use of the device.
        context = device.open(Owner.current());
        boolean isComplete = false;
        lock.lock(); // Datagrams that arrive wait until the router exists.
        try {
            int count = context.queryDevice().physicalPortCount();
            for (int port = 1; port <= count; port++) {
                ports.add(GeneralServices.open(context, port, isThreaded));
            }
            ports.forEach(port -> agents.add(port.register(MadAgentSetup.DEFAULT
                    .registration(MadRegistration.of(MadClass.COM_MGT, MadMethod.SEND.code(), MadMethod.GET.code()))
                    .onSent((send, _) -> ended(send))
                    .onReceived((_, mad) -> received(mad)))));
            withoutIds = new Cm(new GsiDevice(context, this::transmit), CmOptions.of(random.nextLong()), 0);
            isComplete = true;
        } finally {
            lock.unlock();
            if (!isComplete) {
                close();
            }
        }
    }

    /**
     * Begins the use of a device by a manager; daemon threads drive it.
     *
     * @param device a device of this process, open as long as the use
     * @param seed of the communication IDs, if this is the first use
     * @return the use; the caller closes it
     * @throws RdmaException EAGAIN if 1024 managers use the device; EINVAL if a program manages the class itself;
     *     errors of {@link GeneralServices#open}
     */
    public static CmClient attach(Device device, long seed) {
        return attach(device, seed, true);
    }

    static CmClient attach(Device device, long seed, boolean isThreaded) {
        CmRouter router;
        OPENING.lock();
        try {
            router = OPEN.get(device);
            while (router != null && router.users == 0) {
                CLOSED.awaitUninterruptibly();
                router = OPEN.get(device);
            }
            if (router == null) {
                router = new CmRouter(device, seed, isThreaded);
                OPEN.put(device, router);
            }
            if (router.isThreaded != isThreaded) {
                throw new RdmaException(
                        Errno.EBUSY,
                        "the communication managers of " + device.name() + " are driven by "
                                + (router.isThreaded ? "a thread" : "their first user") + " already");
            }
            router.users++;
        } finally {
            OPENING.unlock();
        }
        try {
            return router.newClient();
        } catch (RuntimeException e) {
            router.release();
            throw e;
        }
    }

    private CmClient newClient() {
        lock.lock();
        try {
            CmIdRange range = freeRanges.poll();
            if (range == null) {
                throw new RdmaException(
                        Errno.EAGAIN,
                        device.name() + " has " + (1 << MANAGER_BITS) + " communication managers, which is the limit");
            }
            CmClient client = new CmClient(this, range, index, Limits.DEFAULT);
            byFirstId.put(range.first(), client);
            return client;
        } finally {
            lock.unlock();
        }
    }

    /** Ends what the manager has left open. */
    void detach(CmClient client) {
        lock.lock();
        try {
            if (client.isClosed) {
                return;
            }
            client.isClosed = true;
            client.open.end(agent()).forEach(farewell -> transmit(farewell.mad(), farewell.source()));
            claims.removeAll(client);
            byFirstId.remove(client.ids().first());
            freeRanges.add(client.ids());
        } finally {
            lock.unlock();
        }
        release();
    }

    private void release() {
        OPENING.lock();
        try {
            users--;
            if (users > 0) {
                return;
            }
        } finally {
            OPENING.unlock();
        }
        // Without the lock, because a handler that runs now may open other devices.
        try {
            close();
        } finally {
            forget(device);
        }
    }

    private static void forget(Device device) {
        OPENING.lock();
        try {
            OPEN.remove(device);
            CLOSED.signalAll();
        } finally {
            OPENING.unlock();
        }
    }

    private void close() {
        agents.forEach(MadAgent::close);
        ports.forEach(GeneralServices::close);
        context.close();
    }

    long guid() {
        return device.guid();
    }

    int agent() {
        return agents.getFirst().number();
    }

    GeneralServices port(int port) {
        return ports.get(port - 1);
    }

    /** The timers are those of port 1, which comes last. */
    long progress(long nowNs) {
        long nextNs = Deadline.NEVER;
        for (GeneralServices port : ports.reversed()) {
            nextNs = Deadline.earlier(nextNs, port.progress(nowNs));
        }
        return nextNs;
    }

    /** Changes the claims; does nothing for a manager whose use has ended. */
    void claim(CmClient client, Consumer<ServiceClaims<CmClient>> change) {
        lock.lock();
        try {
            if (!client.isClosed) {
                change.accept(claims);
            }
        } finally {
            lock.unlock();
        }
    }

    // Sending

    /** Sends a message of a manager; false if it is not its to send, or the MAD layer does not take it. */
    boolean send(CmClient client, MemorySegment mad, CmAddress destination, Runnable atEnd) {
        CmMessage kind = isCm(mad) ? CmHeaders.kind(mad) : null;
        if (kind == null || destination.port() < 1 || destination.port() > agents.size()) {
            return false;
        }
        lock.lock();
        try {
            return !client.isClosed && client.open.sent(kind, mad, destination) && transmit(mad, destination, atEnd);
        } finally {
            lock.unlock();
        }
    }

    private static boolean isCm(MemorySegment mad) {
        return mad.byteSize() == Mad.BYTES
                && Mad.check(mad, 0, Mad.BYTES) == MadCheck.OK
                && Mad.MGMT_CLASS.getInt(mad, 0) == MadClass.COM_MGT.code()
                && Mad.CLASS_VERSION.getInt(mad, 0) == MadClass.COM_MGT.version();
    }

    private void transmit(MemorySegment mad, CmAddress destination) {
        transmit(mad, destination, null);
    }

    private boolean transmit(MemorySegment mad, CmAddress destination, @Nullable Runnable atEnd) {
        MadAddress qp1 = MadAddress.gsi(destination.addressVector(), destination.pkeyIndex());
        return transmit(MadSend.of(qp1, mad).withUserContext(atEnd), destination.port());
    }

    private boolean transmit(MadSend send, int port) {
        try {
            agents.get(port - 1).send(send);
            return true;
        } catch (RdmaException e) {
            return false; // Repeated like one that the network loses.
        }
    }

    private static void ended(MadSend send) {
        if (send.userContext() instanceof Runnable atEnd) {
            atEnd.run();
        }
    }

    // Receiving

    private void received(ReceivedMad received) {
        try (received) {
            MemorySegment mad = MemorySegment.ofArray(received.datagram().toArray(ValueLayout.JAVA_BYTE));
            MemorySegment response = Cm.response(mad);
            if (response != null) {
                transmit(
                        MadSend.of(received.from(), response),
                        received.from().vector().port());
                return;
            }
            CmAddress source =
                    new CmAddress(received.from().vector(), received.from().pkeyIndex());
            CmClient client = route(mad, source);
            if (client != null) {
                client.tellReadable();
            }
        }
    }

    /** Gives the message to its manager, which is returned; null if nothing is to be told. */
    private @Nullable CmClient route(MemorySegment mad, CmAddress source) {
        lock.lock();
        try {
            CmMessage kind = isCm(mad) ? CmHeaders.kind(mad) : null;
            CmClient client = kind == null ? null : manager(kind, mad, source);
            if (kind == null || client == null) {
                withoutIds.received(mad, source);
                return null;
            }
            if (!client.offer(new CmDatagram(mad, source))) {
                return null;
            }
            client.open.received(kind, mad, source);
            return client;
        } finally {
            lock.unlock();
        }
    }

    private @Nullable CmClient manager(CmMessage kind, MemorySegment mad, CmAddress source) {
        return switch (kind) {
            case REQ, SIDR_REQ -> managerOfRequest(kind, mad, source);
            case REJ -> {
                CmClient rejected = managerOfId(CmHeaders.receiver(kind, mad));
                // A REJ for a timeout tells only the ID of the request that it gives up.
                yield rejected != null ? rejected : managerOfSender(kind, mad, source);
            }
            case SAP, SPR -> null;
            default -> managerOfId(CmHeaders.receiver(kind, mad));
        };
    }

    private @Nullable CmClient managerOfId(int id) {
        return id == 0 ? null : byFirstId.get(id >>> ID_BITS << ID_BITS);
    }

    private @Nullable CmClient managerOfSender(CmMessage kind, MemorySegment mad, CmAddress source) {
        return index.requests.get(OpenConnections.RequestKey.of(CmHeaders.sender(kind, mad), mad, source));
    }

    /**
     * A repeated request goes to the manager that has the first one; one from a queue pair that is connected already to
     * the manager of that stale connection; others to the listener, or to a manager that requests the same connection.
     */
    private @Nullable CmClient managerOfRequest(CmMessage kind, MemorySegment mad, CmAddress source) {
        CmClient first = managerOfSender(kind, mad, source);
        if (first != null) {
            return first;
        }
        long serviceId = CmHeaders.serviceId(kind, mad);
        if (kind == CmMessage.REQ) {
            CmClient stale = index.remoteQps.get(new OpenConnections.RemoteQp(
                    CmReq.LOCAL_QPN.getInt(mad, CmHeaders.BODY), CmReq.LOCAL_CA_GUID.get(mad, CmHeaders.BODY)));
            if (stale != null) {
                return stale;
            }
        }
        CmClient listener = claims.listener(serviceId);
        return listener != null ? listener : index.pending.get(OpenConnections.PendingKey.of(serviceId, source));
    }
}
