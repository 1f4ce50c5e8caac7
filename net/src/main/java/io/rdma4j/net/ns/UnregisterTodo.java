package io.rdma4j.net.ns;

import io.rdma4j.net.NetDevice;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Devices that are unregistered and wait for their last reference ({@code net_todo_list}, {@code netdev_run_todo}). Any
 * thread may look after them; one at a time does, and looks again if another came by meanwhile.
 */
final class UnregisterTodo {
    private static final System.Logger LOGGER = System.getLogger(UnregisterTodo.class.getName());

    private final Queue<NetDevice> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger calls = new AtomicInteger();

    /** {@code net_set_todo}. */
    void add(NetDevice device) {
        waiting.add(device);
    }

    /** Releases those that nobody holds. */
    void run() {
        if (calls.getAndIncrement() != 0) {
            return;
        }
        int seen;
        do {
            seen = calls.get();
            waiting.removeIf(UnregisterTodo::concluded);
        } while (calls.addAndGet(-seen) != 0);
    }

    private static boolean concluded(NetDevice device) {
        try {
            return device.registration().conclude();
        } catch (RuntimeException e) {
            LOGGER.log(System.Logger.Level.ERROR, device.name() + ": its driver failed while it was released", e);
            return true;
        }
    }
}
