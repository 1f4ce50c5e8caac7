package io.rdma4j.net;

import io.rdma4j.packet.SkBuff;

/** Receives from one device by polling ({@code napi_struct}). */
public final class Napi {
    /** The usual budget, packets per poll ({@code NAPI_POLL_WEIGHT}). */
    public static final int POLL_WEIGHT = 64;

    private final NetDevice device;

    Napi(NetDevice device) {
        this.device = device;
    }

    /**
     * Hands packets to the receive handler until the link has none or {@code budget} is used up. By the owner of the
     * device's loop. Allocates nothing.
     *
     * @return how many; less than {@code budget} means that the link was empty
     */
    public int poll(int budget) {
        int done = 0;
        while (done < budget && device.isUp()) {
            SkBuff skb = device.driver().pollReceive(device);
            if (skb == null) {
                break;
            }
            device.receive(skb);
            done++;
        }
        return done;
    }
}
