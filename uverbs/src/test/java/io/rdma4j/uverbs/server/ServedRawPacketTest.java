// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.rxe.DeviceSpec;
import io.rdma4j.rxe.RxeOptions;
import io.rdma4j.rxe.RxeProvider;
import io.rdma4j.testing.conformance.traffic.RawPacketCases;
import io.rdma4j.testing.ledger.ProvedOn;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * Raw packet queue pairs of served devices: two devices on packet sockets at the ends of a Linux veth pair. Needs root.
 */
@ProvedOn("carrier:served")
class ServedRawPacketTest extends RawPacketCases {
    private static final String NAME = "r4j" + ProcessHandle.current().pid() % 100_000;
    private static final String FIRST = NAME + "a";
    private static final String SECOND = NAME + "b";

    ServedRawPacketTest() {
        super(ServedRawPacketTest::servedTarget);
    }

    private static ServedTarget servedTarget() {
        return ServedTarget.withRawFrames(provider(FIRST, "198.51.100.1/24"), provider(SECOND, "198.51.100.2/24"));
    }

    private static RxeProvider provider(String network, String address) {
        return new RxeProvider(
                List.of(DeviceSpec.parse("rxe0=packet:" + network + "," + address)),
                RxeOptions.DEFAULT.withRawPackets());
    }

    @BeforeAll
    static void makeLink() {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root, for a veth pair and packet sockets");
        assumeTrue(ip("link", "add", FIRST, "type", "veth", "peer", "name", SECOND) == 0, "no veth pair can be made");
        assertThat(ip("link", "set", FIRST, "up")).isZero();
        assertThat(ip("link", "set", SECOND, "up")).isZero();
    }

    @AfterAll
    static void deleteLink() {
        ip("link", "delete", FIRST);
    }

    private static int ip(String... words) {
        try {
            List<String> command = new ArrayList<>(List.of("ip"));
            command.addAll(List.of(words));
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor(10, TimeUnit.SECONDS) ? process.exitValue() : -1;
        } catch (IOException e) {
            return -1; // the program does not exist
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
