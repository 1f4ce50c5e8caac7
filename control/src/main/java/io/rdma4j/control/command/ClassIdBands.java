package io.rdma4j.control.command;

import io.rdma4j.net.ClientGroup;
import io.rdma4j.net.sched.PfifoFast;
import io.rdma4j.packet.SkBuff;
import java.util.function.ToIntFunction;

/**
 * The band of a packet by the class of the group that sends it ({@code cls_cgroup}): minor number 1 for the first band. What has no
 * class goes by its priority.
 */
final class ClassIdBands implements ToIntFunction<SkBuff> {
    private static final int MINOR = 0xFFFF;

    @Override
    public int applyAsInt(SkBuff skb) {
        int classId = ClientGroup.classIdOf(skb);
        return classId == 0 ? PfifoFast.bandOf(skb.priority()) : (classId & MINOR) - 1;
    }
}
