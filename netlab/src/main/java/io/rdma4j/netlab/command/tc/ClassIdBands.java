// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.tc;

import io.rdma4j.net.sched.PfifoFast;
import io.rdma4j.net.transmit.ClientGroup;
import io.rdma4j.packet.SkBuff;
import java.util.function.ToIntFunction;

/**
 * Maps a packet to a band by the class of its sender's group ({@code cls_cgroup}): minor number 1 is the first band. A
 * packet without a class is mapped by its priority.
 */
final class ClassIdBands implements ToIntFunction<SkBuff> {
    private static final int MINOR = 0xFFFF;

    @Override
    public int applyAsInt(SkBuff skb) {
        int classId = ClientGroup.classIdOf(skb);
        return classId == 0 ? PfifoFast.bandOf(skb.meta().priority()) : (classId & MINOR) - 1;
    }
}
