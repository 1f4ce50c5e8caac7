package io.rdma4j.net;

import io.rdma4j.packet.GsoType;
import io.rdma4j.packet.SkBuff;

/** Polls a driver for one packet, or train of packets, after the other, as long as its device is up. */
record LinkPoll(NetDevice device) implements NapiPoll {
    @Override
    public int poll(int budget) {
        int done = 0;
        while (done < budget && device.isUp()) {
            SkBuff skb = device.driver().ops().pollReceive(device);
            if (skb == null) {
                break;
            }
            done += isMerged(skb) ? skb.gsoSegs() : 1;
            device.napi().groReceive(skb);
        }
        return Math.min(done, budget);
    }

    /** Datagrams that the link has merged are as much work as by themselves; a train of an engine is one packet until somebody cuts it. */
    private static boolean isMerged(SkBuff skb) {
        return skb.gsoType() == GsoType.UDP_L4 && skb.isGso();
    }
}
