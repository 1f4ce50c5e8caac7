// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.ip.IpSettings;
import io.rdma4j.ip.IpStack;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.address.InterfaceAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The Linux stack and this library's stack are neighbours on a TAP link. */
@ExtendWith(OwnNamespace.class)
@Timeout(60)
class LinuxNeighbourTest {
    private static final long TURN_NS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final String MAC = "02:00:00:00:00:02";

    private final AtomicBoolean over = new AtomicBoolean();

    @Test
    void linuxFindsItAndItAnswers() throws InterruptedException {
        assumeTrue(Shell.attempt("busybox ping -c 1 127.0.0.1").exit() == 0, "busybox has no ping here");
        NetDevice device = TapDevice.open(new TapSettings("tap0", 0x02_0000_0000_02L, List.of(), 0, 16))
                .netDevice();
        device.ip().set(List.of(InterfaceAddress.parse("10.9.0.2/24"), InterfaceAddress.parse("fd09::2/64")));
        Thread loop = Thread.ofPlatform().start(() -> drive(device));
        Shell.ip("addr add 10.9.0.1/24 dev tap0");
        Shell.ip("addr add fd09::1/64 dev tap0 nodad");

        assertThat(Shell.run("busybox ping -c 5 10.9.0.2")).contains("64 bytes from 10.9.0.2");
        assertThat(Shell.run("busybox ping -c 2 -s 4000 10.9.0.2")).contains("4008 bytes from 10.9.0.2");
        assertThat(Shell.run("busybox ping -c 5 fd09::2")).contains("64 bytes from fd09::2");
        assertThat(Shell.ip("neigh show dev tap0"))
                .containsPattern("10\\.9\\.0\\.2 lladdr " + MAC + " (REACHABLE|STALE|DELAY)")
                .containsPattern("fd09::2 lladdr " + MAC + " (REACHABLE|STALE|DELAY)");
        over.set(true);
        loop.join();
        device.unregister();
    }

    private void drive(NetDevice device) {
        long[] now = {System.nanoTime()};
        try (IpStack stack = new IpStack(IpSettings.DEFAULT, () -> now[0])) {
            stack.add(device);
            device.up();
            while (!over.get()) {
                now[0] = System.nanoTime();
                device.napi().poll(64);
                stack.onTimeout(now[0]);
                stack.flush();
                device.driver().awaitReadable(TURN_NS);
            }
        }
    }
}
