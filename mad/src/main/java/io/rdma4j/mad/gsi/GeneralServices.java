// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad.gsi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.mad.MadAddress;
import io.rdma4j.mad.MadAgent;
import io.rdma4j.mad.MadAgentSetup;
import io.rdma4j.mad.MadPort;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.mad.ClassPortInfo;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The general services interface of a port: the use of its queue pair 1 by one user. All users in a process share the
 * queue pair; it is created for the first one and destroyed after the last one. Any thread.
 *
 * {@snippet :
 * try (GeneralServices services = GeneralServices.open(device, 1);
 *         MadAgent agent = services.register(setup)) {
 *     MemorySegment mad = MemorySegment.ofArray(new byte[Mad.BYTES]);
 *     Mad.write(mad, 0, MadClass.PERF_MGT, MadMethod.GET.code(), 1, agent.nextTransactionId());
 *     agent.send(MadSend.request(MadAddress.gsi(AddressVector.roce(1, peer, 0), 0), mad, 1000, 3));
 *     // the handlers of the setup get the response and the result
 * }
 * }
 */
public final class GeneralServices implements AutoCloseable {
    private final GsiPort owner;
    private final Context context;
    private final boolean ownsContext;
    private final AtomicBoolean closed = new AtomicBoolean();

    private GeneralServices(GsiPort owner, Context context, boolean ownsContext) {
        this.owner = owner;
        this.context = context;
        this.ownsContext = ownsContext;
    }

    private static GeneralServices open(Device device, int port, boolean isThreaded) {
        Context context = device.open();
        try {
            return open(context, port, isThreaded, true);
        } catch (RuntimeException e) {
            context.close();
            throw e;
        }
    }

    private static GeneralServices open(Context context, int port, boolean isThreaded, boolean ownsContext) {
        if (context.isRemote()) {
            throw new RdmaException(
                    Errno.EBUSY,
                    "queue pair 1 of " + context.device().name() + " belongs to the process that serves the device;"
                            + " io.rdma4j.uverbs.client.UmadClient and rdma_cm work through it");
        }
        return new GeneralServices(GsiPort.acquire(context.device(), port, isThreaded), context, ownsContext);
    }

    /**
     * Begins the use of a port that a daemon thread drives. The device is opened once more for it.
     *
     * @param device a present device
     * @param port port number, from 1
     * @return the use; the caller closes it after its agents
     * @throws RdmaException ENODEV if the device was removed or has no such port; EBUSY if another process uses the
     *     queue pair, or a user in this process drives the port itself; errors of {@link Device#open}
     */
    public static GeneralServices open(Device device, int port) {
        return open(device, port, true);
    }

    /**
     * As {@link #open}, but no thread drives the port: the users call {@link #progress}. For virtual time.
     *
     * @param device a present device
     * @param port port number, from 1
     * @return the use; the caller closes it after its agents
     * @throws RdmaException ENODEV if the device was removed or has no such port; EBUSY if another process uses the
     *     queue pair, or a thread drives the port already; errors of {@link Device#open}
     */
    public static GeneralServices openDrivenByCaller(Device device, int port) {
        return open(device, port, false);
    }

    /**
     * As {@link #open(Device, int)} and {@link #openDrivenByCaller}, for a user who has the device open.
     *
     * @param context {@link #context} of the use; the caller closes it after the use
     * @param port port number, from 1
     * @param isThreaded true if a daemon thread drives the port, false if the users do
     * @return the use; the caller closes it after its agents
     * @throws RdmaException ENODEV if the device was removed or has no such port; EBUSY if another process uses the
     *     queue pair, or the port is driven in the other way
     */
    public static GeneralServices open(Context context, int port, boolean isThreaded) {
        return open(context, port, isThreaded, false);
    }

    /** {@return a context of the device, for queries and events} It stays open as long as this use. */
    public Context context() {
        return context;
    }

    /** {@return the port number, from 1} */
    public int port() {
        return owner.port();
    }

    /** {@return the MAD layer of queue pair 1 of the port} */
    public MadPort mad() {
        return owner.mad();
    }

    /**
     * Registers an agent. The first one of type SMI creates queue pair 0, on InfiniBand ports. While an agent is
     * registered for communication, device or boot management, SNMP tunnelling or a vendor class, the port has the
     * capability that announces it, such as {@link io.rdma4j.verbs.device.PortCapability#CM_SUP}.
     *
     * @param setup its attributes
     * @return the agent; the caller closes it
     * @throws RdmaException as {@link MadPort#register}; EPROTONOSUPPORT for an agent of type SMI if the port has no
     *     subnet management, EBUSY if another program uses queue pair 0; EINVAL if this use has ended
     */
    public MadAgent register(MadAgentSetup setup) {
        checkOpen();
        return owner.register(setup.qpType() == QpType.SMI ? owner.management() : owner.mad(), setup);
    }

    private void checkOpen() {
        if (closed.get()) {
            throw new RdmaException(Errno.EINVAL, "the general services are closed for this user");
        }
    }

    /**
     * Adds timers that the driver of the port serves with its own.
     *
     * @param work called at least whenever its last result is reached, and after each {@link #wakeup}
     */
    public void add(TimedWork work) {
        owner.add(work);
    }

    /**
     * Removes timers. A call that another thread makes now may still be in progress.
     *
     * @param work the object that was added
     */
    public void remove(TimedWork work) {
        owner.remove(work);
    }

    /** Lets the driver call all timed work soon, because a deadline has become earlier. */
    public void wakeup() {
        owner.wakeup();
    }

    /**
     * Does what is due, and runs handlers. The users of a port that no thread drives call it.
     *
     * @param nowNs the time; never decreases
     * @return the time of the next deadline, or {@link io.rdma4j.base.Deadline#NEVER}; a completion may come earlier
     */
    public long progress(long nowNs) {
        return owner.progress(nowNs);
    }

    /**
     * Redirects a class to a queue pair of type UD (IBA 13.5.2): requests to queue pair 1 are answered with the address
     * of the other one. This keeps the load of the class away from the CM and the subnet administrator. Corresponds to
     * {@code ib_redirect_mad_qp}.
     *
     * @param mgmtClass 8 bits
     * @param qp a UD queue pair of {@link #context} and this port, in INIT or a later state, with the Q_Key {@link
     *     MadAddress#GSI_QKEY} and without posted requests. From now on only the result posts requests.
     * @param gidIndex index of the GID to which requests are redirected
     * @return the redirected queue pair; the caller closes it after the queue pair and before this use
     * @throws RdmaException EINVAL for a queue pair of another type, context or Q_Key
     */
    public RedirectedQp redirect(int mgmtClass, QueuePair qp, int gidIndex) {
        checkOpen();
        QpAttributes attributes = qp.query();
        if (qp.initAttributes().type() != QpType.UD
                || qp.context() != context()
                || attributes.qkey() != MadAddress.GSI_QKEY) {
            throw new RdmaException(
                    Errno.EINVAL,
                    String.format(
                            "%s of type %s with Q_Key 0x%08x: a class is redirected to a UD queue pair of %s"
                                    + " with 0x%08x",
                            qp, qp.initAttributes().type(), attributes.qkey(), context(), MadAddress.GSI_QKEY));
        }
        MemorySegment info = MemorySegment.ofArray(new byte[ClassPortInfo.LAYOUT.bytes()]);
        ClassPortInfo.BASE_VERSION.put(info, 0, 1);
        ClassPortInfo.REDIRECT_GID.put(info, 0, context().queryGid(port(), gidIndex));
        ClassPortInfo.REDIRECT_LID.put(info, 0, context().queryPort(port()).lid());
        ClassPortInfo.REDIRECT_PKEY.put(info, 0, context().queryPkey(port(), attributes.pkeyIndex()));
        ClassPortInfo.REDIRECT_QP.put(info, 0, qp.qpn());
        ClassPortInfo.REDIRECT_QKEY.put(info, 0, MadAddress.GSI_QKEY);
        MadQp carrier = new MadQp(context(), port(), qp, owner::wakeup, new SecureRandom().nextLong());
        owner.mad().redirect(mgmtClass, info);
        return new RedirectedQp(mgmtClass, owner, carrier);
    }

    /** Ends the use. Agents must be closed. Idempotent. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            try {
                owner.release();
            } finally {
                if (ownsContext) {
                    context.close();
                }
            }
        }
    }
}
