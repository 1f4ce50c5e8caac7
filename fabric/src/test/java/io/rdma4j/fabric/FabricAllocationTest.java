// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.rdma4j.packet.SkBuff;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FabricAllocationTest {
    private static final int PACKETS = 2_000;
    private static final int ROUNDS = 30;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Test
    void aPacketOfAPlainLinkAllocatesNothing() {
        assertThat(leastBytes(IbLinkProfile.PLAIN)).isLessThan(PACKETS);
    }

    @Test
    void aPacketWithCreditsAllocatesNothing() {
        assertThat(leastBytes(new IbLinkProfile(true, 100, 64, 0, false, null))).isLessThan(PACKETS);
    }

    /** The bytes that the best round allocates; the compiler and class loading disturb others. */
    private long leastBytes(IbLinkProfile profile) {
        Star star = new Star(2, profile);
        star.end(2).lid(4, 0); // drops the packets: noting them would allocate
        IbEndPort from = star.end(1);
        List<SkBuff> buffers = new ArrayList<>();
        long least = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            for (int i = 0; i < PACKETS; i++) {
                buffers.add(star.packets.send(1, 2, 0, 64, i));
            }
            long before = threads.getThreadAllocatedBytes(Thread.currentThread().threadId());
            for (int i = 0; i < PACKETS; i++) {
                from.send(buffers.get(i));
            }
            while (star.schedule.runNext()) {
                // to the end
            }
            least = Math.min(
                    least,
                    threads.getThreadAllocatedBytes(Thread.currentThread().threadId()) - before);
            buffers.clear();
        }
        return least;
    }
}
