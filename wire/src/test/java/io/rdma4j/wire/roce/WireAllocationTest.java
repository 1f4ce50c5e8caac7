// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.roce;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Receiving a packet allocates nothing on the Java heap. */
class WireAllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int ROUNDS = 30;

    private final Icrc icrc = new Icrc();

    @Test
    void checkingAndSolvingAllocateNothing() {
        List<TestPacket> packets = TestPacket.captured();
        long least = Long.MAX_VALUE;
        int solved = 0;
        for (int round = 0; round < ROUNDS; round++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < packets.size(); i++) {
                solved += receive(packets.get(i)) ? 1 : 0;
            }
            // The minimum of all rounds: the rest once the JVM has compiled the code.
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).isZero();
        assertThat(solved).isEqualTo(ROUNDS * packets.size());
    }

    private boolean receive(TestPacket packet) {
        if (!RocePacket.checkNetwork(packet.memory(), 0, packet.length()).isOk()) {
            return false;
        }
        int computed = icrc.compute(packet.memory(), packet.view(), 0, packet.icrcOffset());
        int received = Icrc.load(packet.memory(), packet.icrcOffset());
        return IcrcIdentification.solve(received, computed, packet.icrcOffset()) == 0;
    }
}
