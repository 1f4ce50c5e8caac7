// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.receive;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.device.DeviceCore;
import io.rdma4j.net.feature.DeviceFeatures;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.packet.SkBuff;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The VLANs of a device: the receiver of each VLAN's frames, and the filter of its link ({@code struct vlan_info}).
 *
 * <p>Changes happen under the RTNL lock; the loop reads without a lock.
 */
public final class VlanGroup {
    /** Number of VLAN identifiers; the last one is reserved ({@code VLAN_N_VID}). */
    public static final int COUNT = 4096;

    private final DeviceCore core;
    private final DeviceFeatures features;
    private final ReceiveDriver driver;
    private final Members customer = new Members();
    private final Members service = new Members();

    /**
     * Creates it without VLANs.
     *
     * @param core core of the device
     * @param features features of the device
     * @param driver driver of the device
     */
    public VlanGroup(DeviceCore core, DeviceFeatures features, ReceiveDriver driver) {
        this.core = core;
        this.features = features;
        this.driver = driver;
    }

    /** The VLANs of one protocol. A link's filter supports those of 802.1Q only. */
    private static final class Members {
        private volatile @Nullable AtomicReferenceArray<@Nullable ReceiveHandler> receivers;
        private final int[] uses = new int[COUNT];

        @Nullable
        ReceiveHandler find(int vid) {
            AtomicReferenceArray<@Nullable ReceiveHandler> all = receivers;
            return all == null ? null : all.getAcquire(vid);
        }

        void set(int vid, @Nullable ReceiveHandler receiver) {
            AtomicReferenceArray<@Nullable ReceiveHandler> all = receivers;
            if (all == null) {
                all = new AtomicReferenceArray<>(COUNT);
                receivers = all;
            }
            all.setRelease(vid, receiver);
        }
    }

    private Members members(int protocol) {
        return switch (protocol) {
            case EtherType.VLAN -> customer;
            case EtherType.SERVICE_VLAN -> service;
            default ->
                throw new RdmaException(
                        Errno.EINVAL,
                        "0x" + Integer.toHexString(protocol) + " is no protocol of VLANs: 0x8100 and 0x88a8 are");
        };
    }

    /**
     * Sets the receiver of a VLAN's frames ({@code register_vlan_dev}). They begin after their link header, and their
     * tag is in the buffer's fields.
     *
     * @param protocol {@link EtherType#VLAN} or {@link EtherType#SERVICE_VLAN}
     * @param vid 0..4094
     * @param receiver called by the loop's owner
     * @throws RdmaException EEXIST if the VLAN has a receiver, ERANGE for another number, or the driver's error
     */
    public void add(int protocol, int vid, ReceiveHandler receiver) {
        core.exclusively(() -> {
            addVid(protocol, vid);
            Members members = members(protocol);
            if (members.find(vid) != null) {
                removeVid(protocol, vid);
                throw new RdmaException(Errno.EEXIST, core.name() + " has a device for VLAN " + vid);
            }
            members.set(vid, receiver);
        });
    }

    /**
     * Removes the receiver of a VLAN's frames.
     *
     * @param protocol {@code EtherType.VLAN} or {@code EtherType.SERVICE_VLAN}
     * @param vid number of the VLAN, 0..4094
     */
    public void remove(int protocol, int vid) {
        core.exclusively(() -> {
            members(protocol).set(vid, null);
            removeVid(protocol, vid);
        });
    }

    /**
     * Adds a user of a VLAN's frames ({@code vlan_vid_add}).
     *
     * @param protocol {@code EtherType.VLAN} or {@code EtherType.SERVICE_VLAN}
     * @param vid number of the VLAN, 0..4094
     * @throws RdmaException ERANGE for a number outside 0..4094, or the driver's error
     */
    public void addVid(int protocol, int vid) {
        if (vid < 0 || vid >= COUNT - 1) {
            throw new RdmaException(Errno.ERANGE, "VLAN " + vid + " is not in 0.." + (COUNT - 2));
        }
        core.exclusively(() -> {
            int[] uses = members(protocol).uses;
            if (uses[vid] == 0 && filters(protocol)) {
                driver.addVid(protocol, vid);
            }
            uses[vid]++;
        });
    }

    /**
     * Removes a user of a VLAN's frames ({@code vlan_vid_del}).
     *
     * @param protocol {@code EtherType.VLAN} or {@code EtherType.SERVICE_VLAN}
     * @param vid number of the VLAN, 0..4094
     */
    public void removeVid(int protocol, int vid) {
        core.exclusively(() -> {
            int[] uses = members(protocol).uses;
            if (--uses[vid] == 0 && filters(protocol)) {
                driver.killVid(protocol, vid);
            }
        });
    }

    private boolean filters(int protocol) {
        return protocol == EtherType.VLAN && features.has(NetDeviceFeature.HW_VLAN_CTAG_FILTER);
    }

    /**
     * Delivers a frame, whose tag is in the buffer's fields, to the device of its VLAN ({@code vlan_do_receive}).
     * Returns false if there is none.
     */
    boolean receive(SkBuff skb) {
        Members members = skb.meta().vlanProto() == EtherType.SERVICE_VLAN ? service : customer;
        ReceiveHandler receiver = members.find(skb.meta().vlanTci() & (COUNT - 1));
        if (receiver != null) {
            receiver.receive(skb);
        }
        return receiver != null;
    }
}
