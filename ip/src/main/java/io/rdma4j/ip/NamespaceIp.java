// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.loop.LoopClient;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceListener;
import io.rdma4j.net.device.NetDeviceEvent;
import io.rdma4j.net.ns.NetNamespace;
import java.lang.System.Logger.Level;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * IP in a namespace of a host, driven by the host's loop. Devices that are registered in the namespace are added to the
 * {@link #stack}, and removed when they are unregistered ({@code inetdev_event}). The unregistration waits until the
 * stack has released its reference.
 *
 * <p>Any thread may create, start and close it. Any thread may register devices; the owner of the loop adds or removes
 * them in its next run. The creator of a device's driver adds the device to the loop.
 */
public final class NamespaceIp implements AutoCloseable {
    private static final System.Logger LOGGER = System.getLogger(NamespaceIp.class.getName());

    private record Change(NetDevice device, boolean comes) {}

    private final NetNamespace namespace;
    private final NetLoop loop;
    private final IpStack stack;
    private final Queue<Change> changes = new ConcurrentLinkedQueue<>();
    private final NetDeviceListener follower = this::onEvent;
    private final Turn turn = new Turn();
    private final StackClient client;

    /**
     * Creates IP for a namespace, not started.
     *
     * @param namespace whose devices are added
     * @param loop of these devices
     * @param settings of the stack
     */
    public NamespaceIp(NetNamespace namespace, NetLoop loop, IpSettings settings) {
        this.namespace = namespace;
        this.loop = loop;
        this.stack = new IpStack(settings, loop::nowNs);
        this.client = new StackClient(stack, loop);
    }

    /** {@return the stack; it belongs to the owner of the {@link #loop}} */
    public IpStack stack() {
        return stack;
    }

    /** Adds the devices of the namespace, and from now on those that are registered later. Any thread. */
    public void start() {
        loop.add(turn);
        loop.add(client);
        namespace.host().addListener(follower);
        settle();
    }

    /**
     * Adds and removes devices that were registered and unregistered, without waiting for the loop's next run. Any
     * thread.
     */
    public void settle() {
        loop.exclusively(turn::takeChanges);
    }

    private void onEvent(NetDevice device, NetDeviceEvent event) {
        boolean comes = event == NetDeviceEvent.REGISTER;
        if (comes || event == NetDeviceEvent.UNREGISTER) {
            if (NetNamespace.of(device) == namespace) {
                if (comes) {
                    device.references().hold();
                }
                changes.add(new Change(device, comes));
                loop.ring();
            }
        }
    }

    /** Removes all devices and closes the stack. Any thread that does not own the loop. */
    @Override
    public void close() {
        namespace.host().removeListener(follower);
        loop.remove(turn);
        loop.remove(client);
        loop.exclusively(() -> {
            turn.takeChanges();
            client.close();
            stack.close();
        });
    }

    /** Adds and removes devices in each run of the loop. */
    private final class Turn implements LoopClient {
        @Override
        public boolean work(long nowNs) {
            takeChanges();
            return false;
        }

        void takeChanges() {
            for (Change change = changes.poll(); change != null; change = changes.poll()) {
                NetDevice device = change.device();
                if (change.comes()) {
                    stack.add(device);
                } else {
                    stack.remove(device);
                    device.references().put();
                }
            }
        }

        @Override
        public boolean hasMore() {
            return !changes.isEmpty();
        }

        @Override
        public boolean isHeldBack() {
            return false;
        }

        @Override
        public boolean uses(Object device) {
            return false;
        }

        @Override
        public void breakDown(Throwable error) {
            LOGGER.log(
                    Level.ERROR, "a device could not be added or removed, or the host's packet path has failed", error);
        }
    }
}
