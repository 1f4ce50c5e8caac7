// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.receive;

import io.rdma4j.net.device.StateBits;
import io.rdma4j.packet.GsoType;
import io.rdma4j.packet.SkBuff;

/** Polls a driver for packets or trains while its device is up, up to the budget. */
record LinkPoll(StateBits state, ReceiveDriver driver, DeviceInput input) implements NapiPoll {
    @Override
    public int poll(int budget) {
        int done = 0;
        while (done < budget && state.isRunning()) {
            SkBuff skb = driver.pollReceive();
            if (skb == null) {
                break;
            }
            done += isMerged(skb) ? skb.shinfo().gsoSegs() : 1;
            input.napi().groReceive(skb);
        }
        return Math.min(done, budget);
    }

    @Override
    public boolean isSignalled() {
        return driver.isSignalled();
    }

    /**
     * Returns true for datagrams that the link has merged: each counts as one packet. A train of an engine counts as
     * one packet until it is cut.
     */
    private static boolean isMerged(SkBuff skb) {
        return skb.shinfo().gsoType() == GsoType.UDP_L4 && skb.shinfo().isGso();
    }
}
