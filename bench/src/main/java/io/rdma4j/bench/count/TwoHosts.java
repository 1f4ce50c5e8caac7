// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.count;

import io.rdma4j.rxe.DeviceSpec;
import io.rdma4j.rxe.RxeOptions;
import io.rdma4j.rxe.RxeProvider;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import java.util.List;

/**
 * Two hosts of this process, each with a device on a loopback address of its own. They reach each other as two
 * processes do. Their clock depends on how often it is read, so that a thread that runs step by step does not seem to
 * be idle.
 */
final class TwoHosts implements AutoCloseable {
    private static final String NAME = "rxe0";

    /** Time between two readings of the clock; a warm message takes several. */
    private static final long TICK_NS = 200;

    private final Host firstHost = Host.create("first");
    private final Host secondHost = Host.create("second");
    private final Context first;
    private final Context second;
    private long nowNs;

    /** @param sharedMemory false: the devices use UDP sockets */
    TwoHosts(boolean sharedMemory) {
        RxeOptions usual = RxeOptions.DEFAULT;
        RxeOptions options = new RxeOptions(this::nanoTime, usual.progress(), usual.transport(), usual.udpPort())
                .withSharedMemory(sharedMemory);
        first = open(firstHost, 1, options);
        second = open(secondHost, 2, options);
    }

    private static Context open(Host host, int number, RxeOptions options) {
        host.register(new RxeProvider(List.of(DeviceSpec.parse(NAME + "=udp:" + address(number))), options));
        return host.open(NAME);
    }

    /** An address of this process only. Not in 127.0, because the devices of users are there. */
    private static String address(int number) {
        long pid = ProcessHandle.current().pid();
        return "127." + (1 + (pid >> 8) % 254) + "." + (pid & 0xFF) + "." + number;
    }

    /**
     * Reads the JVM's clock as well, because that is part of the count. A lost increment of another thread does not
     * matter.
     */
    private long nanoTime() {
        nowNs += System.nanoTime() == 0 ? 0 : TICK_NS;
        return nowNs;
    }

    Context first() {
        return first;
    }

    Context second() {
        return second;
    }

    @Override
    public void close() {
        first.close();
        second.close();
        firstHost.close();
        secondHost.close();
    }
}
