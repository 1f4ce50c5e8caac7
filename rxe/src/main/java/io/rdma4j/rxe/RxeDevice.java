// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import io.rdma4j.base.Gid;
import io.rdma4j.hca.DeviceIdentity;
import io.rdma4j.hca.PortInfoBytes;
import io.rdma4j.verbs.device.DeviceModification;
import io.rdma4j.verbs.spi.ContextEvents;
import io.rdma4j.verbs.spi.ContextOps;
import io.rdma4j.verbs.spi.DeviceOps;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A software RoCEv2 device. Its port, with sockets and loop thread, exists while at least one context of the device is
 * open.
 *
 * <p>Any thread may call its methods.
 */
public final class RxeDevice implements DeviceOps {
    private static final String DESCRIPTION = "rxe";

    private final DeviceIdentity identity;
    private volatile List<InetSocketAddress> endpoints;
    private final boolean exclusive;
    private final Supplier<RxePort> opener;
    private @Nullable AddressWatch addressWatch;

    private volatile String nodeDescription = DESCRIPTION;
    private final PortInfoBytes portInfo = new PortInfoBytes();

    private volatile boolean removed;
    private @Nullable RxePort port;
    private int openings;

    /**
     * Creates a device whose UDP addresses are not known before it is opened.
     *
     * @param name unique within the host
     * @param nodeGuid EUI-64
     * @param opener creates the port, not yet started; called when the first context is opened, and again after the
     *     last one was closed
     */
    public RxeDevice(String name, long nodeGuid, Supplier<RxePort> opener) {
        this(name, nodeGuid, List.of(), false, opener);
    }

    /**
     * Creates a device whose UDP addresses are known before it is opened.
     *
     * @param name unique within the host
     * @param nodeGuid EUI-64
     * @param endpoints its addresses in the order of the GID table, each with the UDP port
     * @param exclusive whether only one process at a time can open it, because it binds addresses of a network
     *     interface
     * @param opener creates the port, not yet started; called when the first context is opened, and again after the
     *     last one was closed
     */
    public RxeDevice(
            String name,
            long nodeGuid,
            List<InetSocketAddress> endpoints,
            boolean exclusive,
            Supplier<RxePort> opener) {
        this.identity = new DeviceIdentity(name, nodeGuid);
        this.endpoints = List.copyOf(endpoints);
        this.exclusive = exclusive;
        this.opener = opener;
    }

    @Override
    public String name() {
        return identity.name();
    }

    @Override
    public int driverId() {
        return DRIVER_RXE;
    }

    @Override
    public long nodeGuid() {
        return identity.nodeGuid();
    }

    @Override
    public List<InetSocketAddress> endpoints() {
        return endpoints;
    }

    /** {@return true while a context is open} */
    synchronized boolean isOpen() {
        return port != null;
    }

    /** {@return true while a context is open over an interface that exists, with addresses or without} */
    boolean isOnInterface() {
        AddressWatch watch = addressWatch;
        return watch != null && isOpen() && watch.addresses() != null;
    }

    /**
     * Takes over the addresses that the interface has now. An open port binds them and raises GID_CHANGE; if one cannot
     * be bound, the next call tries again. The caller holds no lock that a handler of events may need.
     */
    void follow(List<InetSocketAddress> addresses) {
        RxePort open;
        List<Gid> bound;
        synchronized (this) {
            endpoints = List.copyOf(addresses);
            open = port;
            bound = open == null ? List.of() : AddressWatch.bind(open, addresses);
        }
        if (open != null) {
            open.device().ip().setGids(bound);
        }
    }

    /** Reports the interface's link to an open port. The caller holds no lock that a handler of events may need. */
    void followLink(boolean up) {
        RxePort open = port();
        if (open != null && open.device().isCarrierOk() != up) {
            open.device().setCarrier(up);
        }
    }

    @Override
    public boolean isExclusive() {
        return exclusive;
    }

    @Override
    public String nodeDescription() {
        return nodeDescription;
    }

    /** Follows the addresses of an interface while the device is open. Before the first opening. */
    void watch(AddressWatch watch) {
        addressWatch = watch;
    }

    @Override
    public void modify(DeviceModification change) {
        change.systemImageGuid().ifPresent(identity::systemImageGuid);
        change.nodeDescription().ifPresent(text -> nodeDescription = text);
    }

    @Override
    public synchronized void remove() {
        removed = true;
        RxePort open = port;
        if (open != null) {
            open.remove();
        }
    }

    /** {@return true after {@link #remove}: the provider must not list the device any more} */
    public boolean isRemoved() {
        return removed;
    }

    @Override
    public synchronized ContextOps open(ContextEvents events) {
        RxePort open = port;
        if (open == null) {
            open = opener.get();
            open.start(identity, portInfo);
            port = open;
            AddressWatch watch = addressWatch;
            if (watch != null) {
                watch.start(this);
            }
        }
        openings++;
        return open.open(identity, events, this::release);
    }

    /**
     * {@return the port while the device is open, for simulations that drive it and tools that read its counters;
     * otherwise null}
     */
    public synchronized @Nullable RxePort port() {
        return port;
    }

    private synchronized void release() {
        openings--;
        RxePort open = port;
        if (openings == 0 && open != null) {
            port = null;
            AddressWatch watch = addressWatch;
            if (watch != null) {
                watch.stop();
            }
            open.close();
        }
    }
}
