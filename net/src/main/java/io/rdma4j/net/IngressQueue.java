package io.rdma4j.net;

import io.rdma4j.packet.SkBuff;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Where received packets can be refused before anybody but the taps sees them ({@code ingress_queue} with its qdisc). Belongs to the
 * owner of the loop.
 */
public final class IngressQueue {
    private volatile @Nullable Predicate<? super SkBuff> filter;
    private long drops;

    IngressQueue() {}

    /**
     * Installs who says which packets come in, in place of who did so; null lets all in.
     *
     * @param admits changes nothing; false drops the packet
     */
    public void filter(@Nullable Predicate<? super SkBuff> admits) {
        filter = admits;
    }

    /** {@return packets that were refused} */
    public long drops() {
        return drops;
    }

    boolean admits(SkBuff skb) {
        Predicate<? super SkBuff> admits = filter;
        if (admits == null || admits.test(skb)) {
            return true;
        }
        drops++;
        return false;
    }
}
