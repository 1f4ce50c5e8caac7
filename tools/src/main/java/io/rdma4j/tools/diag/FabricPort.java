// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.diag;

import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import io.rdma4j.wire.mad.sm.Smp;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A port of a {@link FabricNode}, and the port at the other end of its cable. One thread. */
final class FabricPort {
    private static final int DOWN = 1;
    private static final int LINK_UP = 5;

    private final FabricNode node;
    private final int number;
    private final long guid;
    private MemorySegment info = MemorySegment.ofArray(new byte[Smp.DATA_BYTES]);
    private @Nullable FabricPort remote;

    FabricPort(FabricNode node, int number, long guid) {
        this.node = node;
        this.number = number;
        this.guid = guid;
    }

    void read(MemorySegment attribute) {
        info = attribute;
    }

    void connect(FabricPort other) {
        remote = other;
    }

    FabricNode node() {
        return node;
    }

    int number() {
        return number;
    }

    /** Returns the GUID of the port; of a switch, that of port 0. */
    long guid() {
        return guid;
    }

    /** Returns the attribute PortInfo; zeros if it was not read. */
    MemorySegment info() {
        return info;
    }

    /** Returns the port at the other end; null if there is none, or it was not found. */
    @Nullable
    FabricPort remote() {
        return remote;
    }

    boolean isDown() {
        return PortInfoAttribute.PORT_STATE.getInt(info, 0) == DOWN;
    }

    boolean hasLink() {
        return PortInfoAttribute.PORT_PHYSICAL_STATE.getInt(info, 0) == LINK_UP;
    }

    /** Returns the LID at which the port is reached: that of port 0 for ports of a switch. */
    int lid() {
        return node.isSwitch() ? node.switchLid() : PortInfoAttribute.LID.getInt(info, 0);
    }

    int lmc() {
        return PortInfoAttribute.LMC.getInt(info, 0);
    }

    /** Returns width and speed as in the files of {@code ibnetdiscover}: {@code 4xSDR}. */
    String rate() {
        return width() + speed();
    }

    String width() {
        int active = PortInfoAttribute.LINK_WIDTH_ACTIVE.getInt(info, 0);
        return named(active, List.of("1x", "4x", "8x", "12x", "2x"), "??");
    }

    String speed() {
        int extended = PortInfoAttribute.LINK_SPEED_EXT_ACTIVE.getInt(info, 0);
        return extended != 0
                ? named(extended, List.of("FDR", "EDR", "HDR", "NDR"), "???")
                : named(PortInfoAttribute.LINK_SPEED_ACTIVE.getInt(info, 0), List.of("SDR", "DDR", "QDR"), "???");
    }

    private static String named(int bits, List<String> names, String unknown) {
        int bit = Integer.numberOfTrailingZeros(bits);
        return Integer.bitCount(bits) == 1 && bit < names.size() ? names.get(bit) : unknown;
    }
}
