package io.rdma4j.net.ip;

import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceEvent;
import io.rdma4j.net.NetDeviceListener;
import io.rdma4j.net.loop.LoopClient;
import io.rdma4j.net.loop.NetLoop;
import io.rdma4j.net.ns.NetNamespace;
import java.lang.System.Logger.Level;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * IP in a namespace of a host, driven by its loop: devices that are registered come into the {@link #stack}, and leave it when they
 * are unregistered, which waits until then ({@code inetdev_event}).
 *
 * <p>Any thread may make, start and close it; devices come and go on any thread, too, and the owner of the loop hears of it at its
 * next visit. Drivers are given to the loop by whoever makes them.
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
     * IP that is not started yet.
     *
     * @param namespace whose devices it follows
     * @param loop that drives them
     * @param settings numbers of all its parts
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

    /** {@return who drives it} */
    public NetLoop loop() {
        return loop;
    }

    /** Takes in the devices that are there, and follows those that come and go. */
    public void start() {
        loop.add(turn);
        loop.add(client);
        namespace.host().addListener(follower);
        settle();
    }

    /** Takes in what was registered, and lets go what was unregistered, without waiting for the loop's next visit. Any thread. */
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

    /** Lets all devices go, and closes the stack; not by the owner of the loop. */
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

    /** Looks for devices that have come or gone. */
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
        public boolean uses(NetDevice device) {
            return false;
        }

        @Override
        public void breakDown(Throwable error) {
            LOGGER.log(
                    Level.ERROR, "a device could not be added or removed, or the host's packet path has failed", error);
        }
    }
}
