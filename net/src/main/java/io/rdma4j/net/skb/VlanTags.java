// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.skb;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Ethernet;
import io.rdma4j.wire.ip.VlanTag;
import java.lang.foreign.MemorySegment;

/** Moves a VLAN tag from the frame to the buffer's fields, and back ({@code if_vlan.h}). */
public final class VlanTags {
    private static final int VID_MASK = 0xFFF;

    private VlanTags() {}

    /**
     * Removes the tag, if any, from a received frame that begins after its link header ({@code skb_vlan_untag}).
     *
     * @param skb the frame; the caller keeps it
     * @return false for a frame that ends within its tag
     */
    public static boolean untag(SkBuff skb) {
        if (skb.meta().vlanTagPresent() || !Ethernet.isVlan(skb.meta().protocol())) {
            return true;
        }
        if (skb.headLen() < VlanTag.BYTES) {
            return false;
        }
        if (skb.isCloned()) {
            // A clone shares the header, so the frame stays unchanged; its protocol has no handler.
            return true;
        }
        MemorySegment memory = skb.memory();
        int tag = skb.data();
        skb.meta().vlanTag(skb.meta().protocol(), VlanTag.tci(memory, tag));
        int type = VlanTag.etherType(memory, tag);
        int mac = skb.macHeader();
        MemorySegment.copy(memory, mac, memory, mac + VlanTag.BYTES, Ethernet.ETHER_TYPE);
        skb.pull(VlanTag.BYTES);
        skb.setMacHeader(mac + VlanTag.BYTES - skb.data());
        skb.setNetworkHeader(0);
        skb.meta().protocol(type < EtherType.LEAST ? EtherType.LLC : type);
        return true;
    }

    /**
     * {@return true for a frame of a VLAN; false for a tag with a priority only}
     *
     * @param skb a received frame
     */
    public static boolean isForVlan(SkBuff skb) {
        return skb.meta().vlanTagPresent() && (skb.meta().vlanTci() & VID_MASK) != 0;
    }

    /**
     * {@return true if the tag may be inserted in place}
     *
     * @param skb a frame that begins with its link header
     */
    public static boolean canPutInside(SkBuff skb) {
        return !skb.isCloned() && !skb.isShared() && skb.headroom() >= VlanTag.BYTES && skb.headLen() >= Ethernet.BYTES;
    }

    /**
     * Inserts the tag into a frame ({@code __vlan_hwaccel_push_inside}).
     *
     * @param skb a frame that begins with its link header; the caller keeps it
     */
    public static void putInside(SkBuff skb) {
        MemorySegment memory = skb.memory();
        int from = skb.data();
        int at = skb.push(VlanTag.BYTES);
        MemorySegment.copy(memory, from, memory, at, Ethernet.ETHER_TYPE);
        Ethernet.etherType(memory, at, skb.meta().vlanProto());
        VlanTag.tci(memory, at + Ethernet.BYTES, skb.meta().vlanTci());
        skb.setMacHeader(0);
        skb.meta().clearVlanTag();
    }

    /**
     * Undoes {@link #putInside}, for a frame that the driver did not accept.
     *
     * @param skb the frame; the caller keeps it
     */
    public static void takeOut(SkBuff skb) {
        MemorySegment memory = skb.memory();
        int at = skb.data();
        skb.meta().vlanTag(Ethernet.etherType(memory, at), VlanTag.tci(memory, at + Ethernet.BYTES));
        MemorySegment.copy(memory, at, memory, at + VlanTag.BYTES, Ethernet.ETHER_TYPE);
        skb.pull(VlanTag.BYTES);
        skb.setMacHeader(0);
    }
}
