// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.base.RdmaException;
import io.rdma4j.transport.port.TransportCounters;
import io.rdma4j.verbs.device.LinkLayer;
import io.rdma4j.verbs.device.LinkSpeed;
import io.rdma4j.verbs.device.LinkWidth;
import io.rdma4j.verbs.device.PhysicalState;
import io.rdma4j.verbs.device.PortAttributes;
import io.rdma4j.verbs.device.PortCapability;
import io.rdma4j.verbs.device.PortInfo;
import io.rdma4j.verbs.device.PortModification;
import io.rdma4j.verbs.device.PortState;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The attribute PortInfo of a port as bytes: what management and verbs write shows there, and verbs read it there. */
class PortInfoBytesTest {
    /** A link of 1 Gbit/s with one lane and no address. */
    private static final class Wire implements PortLink {
        private boolean up = true;
        private boolean dormant;
        private LinkRate rate = new LinkRate(LinkWidth.X1, LinkSpeed.SDR);
        private int lanes = 1;
        private Mtu mtu = Mtu.MTU_1024;

        @Override
        public String name() {
            return "eth0";
        }

        @Override
        public String carrier() {
            return "test";
        }

        @Override
        public List<Gid> addresses() {
            return List.of();
        }

        @Override
        public boolean isUp() {
            return up;
        }

        @Override
        public boolean isCarrierOk() {
            return up;
        }

        @Override
        public boolean isDormant() {
            return dormant;
        }

        @Override
        public LinkRate rate() {
            return rate;
        }

        @Override
        public int lanes() {
            return lanes;
        }

        @Override
        public Mtu activeMtu() {
            return mtu;
        }

        @Override
        public MemorySegment allocateBuffer(long length, long alignment, Arena arena) {
            return arena.allocate(length, alignment);
        }

        @Override
        public LinkLayer layer() {
            return LinkLayer.ETHERNET;
        }

        @Override
        public boolean uses(Object device) {
            return false;
        }

        @Override
        public long sentPackets() {
            return 0;
        }

        @Override
        public long sendErrors() {
            return 0;
        }

        @Override
        public void countDropped() {}

        @Override
        public boolean hasLatency() {
            return false;
        }

        @Override
        public long measureLatencyNs(Gid peer, Duration timeout) {
            return 0;
        }
    }

    private final Wire link = new Wire();
    private final TransportCounters counters = new TransportCounters();
    private final InputCounters input = new InputCounters();
    private final PortInfoBytes kept = new PortInfoBytes();
    private final PortManagement port = newPort();

    private PortManagement newPort() {
        HcaCapabilities capabilities = new HcaCapabilities(Set.of());
        return new PortManagement(
                new PortStateMachine(link, new PortFailure("eth0")),
                new PortEvents(capabilities),
                new AddressTables(new GidTable(link), new PkeyTable(List.of(0xFFFF))),
                counters,
                input,
                capabilities,
                link);
    }

    @BeforeEach
    void begin() {
        port.begin(new DeviceIdentity("rxe0", 0x0200_00FF_FE00_0001L), kept, null);
    }

    private byte[] bytes() {
        return port.present().toArray();
    }

    private long value(MadField field) {
        return port.present().get(field);
    }

    private PortInfo.Builder info() {
        return port.info().toBuilder();
    }

    /** Bits of the attribute that an action changes, from bit 0, the most significant one of byte 0. */
    private String changedBits(Runnable action) {
        byte[] before = bytes();
        action.run();
        byte[] after = bytes();
        StringBuilder bits = new StringBuilder();
        for (int bit = 0; bit < Byte.SIZE * before.length; bit++) {
            if (((before[bit / Byte.SIZE] ^ after[bit / Byte.SIZE]) << bit % Byte.SIZE & 0x80) != 0) {
                bits.append(bit).append(' ');
            }
        }
        return bits.toString().strip();
    }

    @Test
    void aRocePortThatNobodyManagesHasTheseBytes() {
        assertThat(HexFormat.ofDelimiter(" ").formatHex(bytes()))
                .isEqualTo("00 00 00 00 00 00 00 00 fe 80 00 00 00 00 00 00 "
                        + "00 00 00 00 06 04 0a 30 00 00 00 00 01 01 01 01 "
                        + "14 52 00 11 30 10 00 00 00 05 00 10 00 00 00 00 "
                        + "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00");
    }

    /** Each value is all ones, so that all bits of the field change, and no other. */
    @ParameterizedTest
    @CsvSource({
        "mKey, 0, 64",
        "lid, 128, 16",
        "masterSm, 144, 16",
        "lmc, 277, 3",
        "masterSmSl, 292, 4",
        "initTypeReply, 328, 4",
        "subnetTimeout, 411, 5"
    })
    void anOrderChangesTheBitsOfItsField(String field, int firstBit, int bits) {
        UnaryOperator<PortInfo.Builder> order = builder -> switch (field) {
            case "mKey" -> builder.managementKey(-1);
            case "lid" -> builder.lid(0xFFFF, 0);
            case "lmc" -> builder.lid(0, 7);
            case "masterSm" -> builder.masterSm(0xFFFF, 0);
            case "masterSmSl" -> builder.masterSm(0, 15);
            case "initTypeReply" -> builder.initTypeReply(15);
            default -> builder.subnetTimeout(31);
        };
        StringBuilder expected = new StringBuilder();
        for (int bit = firstBit; bit < firstBit + bits; bit++) {
            expected.append(bit).append(' ');
        }
        assertThat(changedBits(() -> port.set(order.apply(info()).build())))
                .isEqualTo(expected.toString().strip());
    }

    @Test
    void aNewPrefixChangesTheDefaultGidToo() {
        port.set(info().gidPrefix(0xFEC0_0000_0000_0001L).build());
        assertThat(value(PortInfoAttribute.GID_PREFIX)).isEqualTo(0xFEC0_0000_0000_0001L);
        assertThat(port.info().gidPrefix()).isEqualTo(0xFEC0_0000_0000_0001L);
    }

    @Test
    void programsSetTheirCapabilitiesAndTheInitType() {
        assertThat(changedBits(() -> port.modify(PortModification.ofInitType(15))))
                .isEqualTo("300 301 302 303");
        PortModification change = PortModification.ofCapabilities(Set.of(PortCapability.CM_SUP), Set.of());
        assertThat(changedBits(() -> port.modify(change))).isEqualTo("175");
        assertThat(port.attributes().capabilities()).contains(PortCapability.CM_SUP, PortCapability.IP_BASED_GIDS);
        PortModification back = PortModification.ofCapabilities(Set.of(), Set.of(PortCapability.CM_SUP));
        assertThat(changedBits(() -> port.modify(back))).isEqualTo("175");
    }

    @Test
    void theStatesOfTheLinkAndOfTheMachineShow() {
        assertStates(PortState.ACTIVE, PhysicalState.LINK_UP);
        link.dormant = true;
        assertStates(PortState.INIT, PhysicalState.LINK_UP);
        link.dormant = false;
        link.up = false;
        port.linkChanged();
        assertStates(PortState.DOWN, PhysicalState.DISABLED);
        link.up = true;
        port.linkChanged();
        port.set(info().masterSm(9, 0).state(PortState.DOWN).build());
        assertStates(PortState.INIT, PhysicalState.LINK_UP);
        port.set(info().initTypeReply(3).state(PortState.ARMED).build());
        assertStates(PortState.ARMED, PhysicalState.LINK_UP);
        assertThat(value(PortInfoAttribute.INIT_TYPE_REPLY)).isEqualTo(3);
        port.set(info().state(PortState.ACTIVE).build());
        assertStates(PortState.ACTIVE, PhysicalState.LINK_UP);
        port.modify(PortModification.ofShutdown());
        assertStates(PortState.DOWN, PhysicalState.DISABLED);
        port.set(info().physicalState(PhysicalState.POLLING).build());
        assertStates(PortState.INIT, PhysicalState.LINK_UP);
        assertThat(value(PortInfoAttribute.INIT_TYPE_REPLY)).isZero();
    }

    private void assertStates(PortState state, PhysicalState physical) {
        assertThat(value(PortInfoAttribute.PORT_STATE)).isEqualTo(state.code());
        assertThat(value(PortInfoAttribute.PORT_PHYSICAL_STATE)).isEqualTo(physical.code());
        assertThat(port.attributes().state()).isEqualTo(state);
        assertThat(port.attributes().physicalState()).isEqualTo(physical);
    }

    @Test
    void anOrderThatIsRefusedChangesNoBit() {
        PortInfo orders = info().lid(7, 0).state(PortState.ARMED).build();
        assertThat(changedBits(
                        () -> assertThatExceptionOfType(RdmaException.class).isThrownBy(() -> port.set(orders))))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "X1, SDR, 1, 1, 0",
        "X4, DDR, 2, 2, 0",
        "X4, QDR, 2, 4, 0",
        "X1, FDR10, 1, 4, 0",
        "X12, FDR, 8, 4, 1",
        "X2, EDR, 16, 4, 2",
        "X8, HDR, 4, 4, 4"
    })
    void widthAndSpeedHaveTheirCodes(LinkWidth width, LinkSpeed speed, int widthCode, int speedCode, int extended) {
        link.rate = new LinkRate(width, speed);
        assertThat(value(PortInfoAttribute.LINK_WIDTH_ACTIVE)).isEqualTo(widthCode);
        assertThat(value(PortInfoAttribute.LINK_SPEED_ACTIVE)).isEqualTo(speedCode);
        assertThat(value(PortInfoAttribute.LINK_SPEED_EXT_ACTIVE)).isEqualTo(extended);
        assertThat(value(PortInfoAttribute.LINK_SPEED_SUPPORTED) & speedCode).isEqualTo(speedCode);
        assertThat(value(PortInfoAttribute.LINK_SPEED_EXT_SUPPORTED) & extended).isEqualTo(extended);
        assertThat(port.attributes().activeWidth()).isEqualTo(width);
        assertThat(port.attributes().activeSpeed()).isEqualTo(speed);
    }

    @Test
    void lanesMtuAndViolationsAreThoseOfThePort() {
        link.lanes = 16;
        link.mtu = Mtu.MTU_4096;
        input.badPkey = 70_000;
        counters.qkeyViolations = 5;
        PortAttributes port15 = port.attributes();
        assertThat(value(PortInfoAttribute.VL_CAP)).isEqualTo(5);
        assertThat(port15.virtualLanes()).isEqualTo(15);
        assertThat(value(PortInfoAttribute.NEIGHBOR_MTU)).isEqualTo(5);
        assertThat(port15.activeMtu()).isEqualTo(Mtu.MTU_4096);
        assertThat(value(PortInfoAttribute.P_KEY_VIOLATIONS)).isEqualTo(0xFFFF);
        assertThat(port15.badPkeyCounter()).isEqualTo(0xFFFF);
        assertThat(value(PortInfoAttribute.Q_KEY_VIOLATIONS)).isEqualTo(5);
        port.modify(PortModification.ofQkeyCounterReset());
        assertThat(value(PortInfoAttribute.Q_KEY_VIOLATIONS)).isZero();
        assertThat(port.attributes().qkeyViolationCounter()).isZero();
    }

    @Test
    void theAttributeOutlivesThePort() {
        port.set(info().lid(7, 0).led(true).managementKey(5).build());
        port.modify(PortModification.ofShutdown());
        PortManagement next = newPort();
        next.begin(new DeviceIdentity("rxe0", 1), kept, null);
        assertThat(next.present().toArray()).isEqualTo(bytes());
        assertThat(next.info().lid()).isEqualTo(7);
        assertThat(next.info().led()).isTrue();
        assertThat(next.info().state()).isEqualTo(PortState.DOWN);
    }
}
