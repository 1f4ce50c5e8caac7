// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.host;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.cm.CmOptions;
import io.rdma4j.cm.gsi.CmServices;
import io.rdma4j.rdmacm.LocalDevice;
import io.rdma4j.rdmacm.RdmaCm;
import io.rdma4j.rdmacm.RdmaCmOptions;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.Rdma;
import io.rdma4j.verbs.values.EventType;
import java.security.SecureRandom;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * rdma_cm over the devices of a host. Uses queue pair 1 of each device that an address, a route or a wildcard listener
 * needs; a daemon thread for each drives it. Any thread.
 *
 * {@snippet :
 * RdmaCm cm = RdmaCmService.ofProcess().cm();
 * RdmaId id = cm.createId(null, PortSpace.TCP);
 * id.resolveAddress(null, new InetSocketAddress("10.0.0.2", 7471), 2000);
 * id.resolveRoute(2000);
 * // queue pair, then id.connect(ConnectParameters.DEFAULT)
 * }
 */
public final class RdmaCmService implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(RdmaCmService.class.getName());

    /** Time between two checks of the link addresses that are missing. */
    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final class OfProcess {
        static final RdmaCmService SERVICE = open(Rdma.host());
    }

    private final @Nullable NanoClock clock;

    /** Of the managers: secure, or from the seed in virtual time. */
    private final LongSupplier seeds;

    /** Tasks of a service without threads. */
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

    // Guarded by this, which a thread takes before the lock of rdma_cm.
    private boolean isClosed;

    /** Removed devices that are still open. */
    private final List<HostDevice> left = new CopyOnWriteArrayList<>();

    private final NeighbourQueries queries;
    private final HostDevices devices;
    private final RdmaCm cm;

    private RdmaCmService(Host host, RdmaCmOptions options, LongSupplier seeds, @Nullable NanoClock clock) {
        this.clock = clock;
        this.seeds = seeds;
        queries = new NeighbourQueries(
                clock == null ? NanoClock.SYSTEM : clock, clock == null ? () -> runTask(this::poll) : () -> {});
        devices = new HostDevices(host, this::runTask, this::devicesAdded, this::open, queries);
        cm = new RdmaCm(devices, options);
    }

    /**
     * {@return rdma_cm of this process, over the devices of {@link Rdma#host}} Opened by the first call; never close
     * it.
     */
    public static RdmaCmService ofProcess() {
        return OfProcess.SERVICE;
    }

    /**
     * Makes rdma_cm of a host. No device is opened yet.
     *
     * @param host with the devices
     * @return rdma_cm; the caller closes it before the host
     */
    public static RdmaCmService open(Host host) {
        SecureRandom random = new SecureRandom();
        RdmaCmOptions options = RdmaCmOptions.of(random.nextLong());
        boolean isPrivileged = BindPrivilege.ofProcess().isGranted();
        return new RdmaCmService(host, isPrivileged ? options.privileged() : options, random::nextLong, null);
    }

    /**
     * As {@link #open}, without threads: the caller drives the devices by {@link #progress}. For virtual time.
     *
     * @param host with the devices
     * @param options settings; the seed is also that of the communication ids
     * @param clock the time that the caller passes to {@link #progress}
     * @return rdma_cm; the caller closes it before the host
     */
    public static RdmaCmService openDrivenByCaller(Host host, RdmaCmOptions options, NanoClock clock) {
        return new RdmaCmService(host, options, new SplittableRandom(options.seed())::nextLong, clock);
    }

    private HostDevice open(Device device) {
        CmOptions options = CmOptions.of(seeds.getAsLong());
        CmServices services = clock == null
                ? CmServices.open(device, options, cm.lock())
                : CmServices.openDrivenByCaller(device, options, clock, cm.lock());
        return new HostDevice(device, services, cm, clock == null, this::handle);
    }

    /** A service without threads keeps the tasks for {@link #progress}. */
    private void runTask(Runnable task) {
        if (clock == null) {
            HostTasks.run(task);
        } else {
            tasks.add(task);
        }
    }

    /** Asks for the link addresses until none is missing. */
    private void poll() {
        do {
            LockSupport.parkNanos(POLL_NS);
        } while (progressQueries(NanoClock.SYSTEM.nanoTime()) != Deadline.NEVER);
    }

    private long progressQueries(long nowNs) {
        long nextNs;
        cm.lock().lock();
        try {
            nextNs = queries.progress(nowNs);
        } finally {
            cm.lock().unlock();
        }
        cm.completeFutures();
        return nextNs;
    }

    private void handle(HostDevice device, EventType event) {
        switch (event) {
            case DEVICE_FATAL -> runTask(() -> removed(device));
            case GID_CHANGE -> runTask(() -> cm.addressesChanged(device));
            default -> {}
        }
    }

    private synchronized void removed(HostDevice device) {
        if (!forget(device)) {
            return;
        }
        cm.deviceRemoved(device);
        left.add(device);
        // It may be back already: one that another process has served belongs to the process that opens it next.
        devicesAdded();
    }

    private synchronized void devicesAdded() {
        if (!isClosed) {
            closeLeft();
            cm.devicesAdded();
        }
    }

    private boolean forget(HostDevice device) {
        cm.lock().lock();
        try {
            queries.deviceRemoved(device);
            return devices.forget(device);
        } finally {
            cm.lock().unlock();
        }
    }

    /** Closes removed devices. One in which the program has objects waits for the next call. */
    private void closeLeft() {
        left.removeIf(RdmaCmService::tryClose);
    }

    /** Returns true if the device is closed now. */
    private static boolean tryClose(HostDevice device) {
        try {
            device.close();
            return true;
        } catch (RdmaException e) {
            LOG.log(System.Logger.Level.DEBUG, device + " is gone, but the program still has objects of it", e);
            return false;
        }
    }

    /** {@return rdma_cm} */
    public RdmaCm cm() {
        return cm;
    }

    /** {@return the open devices; a copy} */
    public List<LocalDevice> openDevices() {
        return List.copyOf(opened());
    }

    private List<HostDevice> opened() {
        cm.lock().lock();
        try {
            return devices.opened();
        } finally {
            cm.lock().unlock();
        }
    }

    /**
     * Does what is due on the open devices. Only for a service without threads.
     *
     * @param nowNs the time; never decreases
     * @return the time of the next call; messages may arrive earlier
     */
    public long progress(long nowNs) {
        long nextNs = Deadline.NEVER;
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
        for (HostDevice device : opened()) {
            nextNs = Deadline.earlier(nextNs, device.progress(nowNs));
        }
        return Deadline.earlier(nextNs, progressQueries(nowNs));
    }

    /**
     * Releases the devices. The program closes its connections, its listeners and what it has created in the contexts
     * of the devices before; ids that are left get DEVICE_REMOVAL. Idempotent.
     */
    @Override
    public synchronized void close() {
        isClosed = true;
        cm.lock().lock();
        try {
            devices.stopFollowing();
        } finally {
            cm.lock().unlock();
        }
        for (HostDevice device : opened()) {
            cm.deviceRemoved(device);
            forget(device);
            device.close();
        }
        closeLeft();
        cm.completeFutures();
    }
}
