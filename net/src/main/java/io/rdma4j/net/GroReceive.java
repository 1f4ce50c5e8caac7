package io.rdma4j.net;

import io.rdma4j.net.skb.HookPoint;
import io.rdma4j.net.skb.UdpTrain;
import io.rdma4j.packet.SkBuff;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Merges what a device receives in one poll ({@code dev_gro_receive}): UDP datagrams of one flow become a {@link UdpTrain} if their
 * receiver understands that. What arrives otherwise, or was merged by the link, goes up at once.
 *
 * <p>No packet overtakes another one of its flow: what does not join a train sends all trains up before it. Nothing is merged while
 * somebody looks at all packets of the device: a tap, a filter, a bridge. Belongs to the owner of the loop; allocates nothing.
 */
final class GroReceive {
    /** Trains at a time ({@code GRO_HASH_BUCKETS}). */
    static final int MAX_FLOWS = 8;

    private static final int NONE = -1;

    private final NetDevice device;
    private final DeviceInput input;

    /** The oldest first. */
    private final @Nullable SkBuff[] held = new SkBuff[MAX_FLOWS];

    private int count;

    GroReceive(NetDevice device, DeviceInput input) {
        this.device = device;
        this.input = input;
    }

    /** A packet from the link that begins with its link header. */
    void receive(SkBuff skb) {
        if (!device.features().has(NetDeviceFeature.GRO)) {
            passOn(skb);
            return;
        }
        GroReceiver receiver = device.protocols().groReceiver();
        if (receiver == null || !receiver.mayTakeMerged() || !device.isUp()) {
            passOn(skb);
        } else if (input.parse(skb) && !hold(skb, receiver)) {
            flush();
            input.pass(skb);
        }
    }

    /** Whether a train that the link has merged may go up in one piece; the places of its headers are known. */
    boolean takesTrain(SkBuff skb) {
        GroReceiver receiver = device.protocols().groReceiver();
        return receiver != null
                && device.features().has(NetDeviceFeature.GRO)
                && !isWatched()
                && receiver.takesMerged(skb);
    }

    private void passOn(SkBuff skb) {
        flush();
        device.receive(skb);
    }

    /** False if the packet is to go up as it is. */
    private boolean hold(SkBuff skb, GroReceiver receiver) {
        boolean isIp = skb.protocol() == EtherType.IPV4 || skb.protocol() == EtherType.IPV6;
        if (!isIp || isWatched() || !UdpTrain.isDatagram(skb)) {
            return false;
        }
        int flow = find(skb);
        if (flow == NONE && !receiver.takesMerged(skb) || !UdpTrain.isIntact(skb)) {
            return false;
        }
        if (flow == NONE && count == MAX_FLOWS) {
            flush(0);
        } else if (flow != NONE && join(flow, skb)) {
            return true;
        }
        held[count++] = skb;
        return true;
    }

    private boolean isWatched() {
        return device.protocols().hasTaps()
                || device.rxHandler().handler() != null
                || device.receiveQueues().ingress() != null
                || device.hooks().isWatched(HookPoint.INGRESS);
    }

    private int find(SkBuff skb) {
        for (int i = 0; i < count; i++) {
            if (UdpTrain.isSameFlow(train(i), skb)) {
                return i;
            }
        }
        return NONE;
    }

    private SkBuff train(int index) {
        return Objects.requireNonNull(held[index]);
    }

    /** False if the packet does not fit: the train of its flow is on its way then. */
    private boolean join(int flow, SkBuff skb) {
        SkBuff train = train(flow);
        boolean fits = UdpTrain.fits(train, skb);
        if (!fits || UdpTrain.append(train, skb)) {
            flush(flow);
        }
        return fits;
    }

    /** Sends up what is held back ({@code napi_gro_flush}). */
    void flush() {
        while (count > 0) {
            flush(0);
        }
    }

    private void flush(int flow) {
        SkBuff train = take(flow);
        UdpTrain.finish(train);
        if (device.isUp()) {
            input.pass(train);
        } else {
            device.stats().countReceiveDrop();
            train.free();
        }
    }

    private SkBuff take(int flow) {
        SkBuff train = train(flow);
        count--;
        System.arraycopy(held, flow + 1, held, flow, count - flow);
        held[count] = null;
        return train;
    }

    /** Drops what is held back. */
    void drop() {
        while (count > 0) {
            device.stats().countReceiveDrop();
            take(0).free();
        }
    }
}
