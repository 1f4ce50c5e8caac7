// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import java.util.concurrent.atomic.AtomicInteger;

/** Loopback addresses of this process only, so that tests of several builds on one machine do not interfere. */
final class TestAddresses {
    private static final int BYTE_MASK = 0xFF;
    private static final String NETWORK = network(ProcessHandle.current().pid());

    private static final int FIRST_OF_TURN = 100;
    private static final int TURN = 150;
    private static final AtomicInteger NEXT = new AtomicInteger();

    private TestAddresses() {}

    private static String network(long pid) {
        // Not 127.0, because the devices of users and of other tests use it.
        return "127." + (1 + (pid >> 8) % 254) + "." + (pid & BYTE_MASK) + ".";
    }

    /** Address {@code number} of this process, 1..254. */
    static String text(int number) {
        return NETWORK + number;
    }

    /**
     * A device on the least recently used address, so that a test that fails to close its devices does not affect
     * others.
     */
    static DeviceSpec nextDevice() {
        return device(FIRST_OF_TURN + NEXT.getAndIncrement() % TURN);
    }

    /** A device on address {@code number} and the RoCE port. */
    static DeviceSpec device(int number) {
        return DeviceSpec.parse("rxe0=udp:" + text(number));
    }
}
