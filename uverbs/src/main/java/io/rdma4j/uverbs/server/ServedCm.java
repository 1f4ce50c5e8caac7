// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.cm.CmAddress;
import io.rdma4j.cm.gsi.CmClient;
import io.rdma4j.cm.gsi.CmDatagram;
import io.rdma4j.cm.gsi.CmRouter;
import io.rdma4j.verbs.Device;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The communication manager of a client process: it shares the queue pair 1 of this process. Session's thread. */
final class ServedCm implements AutoCloseable {
    /** Messages of a client that the device has not sent yet; the session waits then. */
    private static final int MAX_UNSENT = 256;

    private static final long SEND_LIMIT_MS = Duration.ofSeconds(1).toMillis();

    private final CmClient channel;
    private final Semaphore room = new Semaphore(MAX_UNSENT);
    /** True while the client knows that there are messages and has not found none since. */
    private final AtomicBoolean told = new AtomicBoolean();

    /** @param readable tells the client; must not block */
    ServedCm(Device device, Runnable readable) {
        channel = CmRouter.attach(device, new SecureRandom().nextLong());
        channel.onReadable(() -> {
            if (told.compareAndSet(false, true)) {
                readable.run();
            }
        });
    }

    CmClient channel() {
        return channel;
    }

    /** Sends a message; one that the device does not send in time is dropped. */
    void send(MemorySegment datagram, CmAddress destination) {
        try {
            if (room.tryAcquire(SEND_LIMIT_MS, TimeUnit.MILLISECONDS)) {
                channel.send(datagram, destination, room::release);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // The session ends.
        }
    }

    @Nullable
    CmDatagram receive() {
        told.set(false);
        return channel.receive();
    }

    @Override
    public void close() {
        channel.close();
    }
}
