// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Gid;
import io.rdma4j.wire.FieldText;
import io.rdma4j.wire.mad.sa.InformInfo;
import io.rdma4j.wire.mad.sa.LinkRecord;
import io.rdma4j.wire.mad.sa.McMemberRecord;
import io.rdma4j.wire.mad.sa.MultiPathRecord;
import io.rdma4j.wire.mad.sa.MulticastForwardingRecord;
import io.rdma4j.wire.mad.sa.NodeRecord;
import io.rdma4j.wire.mad.sa.PathRecord;
import io.rdma4j.wire.mad.sa.PortInfoRecord;
import io.rdma4j.wire.mad.sa.SaHeader;
import io.rdma4j.wire.mad.sa.ServiceRecord;
import io.rdma4j.wire.mad.sm.GuidInfo;
import io.rdma4j.wire.mad.sm.LinearForwardingTable;
import io.rdma4j.wire.mad.sm.NodeInfo;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import io.rdma4j.wire.mad.sm.SmInfo;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.sm.TrapDetails;
import io.rdma4j.wire.mad.table.MadAttribute;
import io.rdma4j.wire.mad.table.MadText;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class MadFieldTest {
    private static final long SEED = 20_261_124;
    private static final List<Integer> TRAPS =
            List.of(64, 65, 66, 67, 128, 129, 130, 131, 144, 145, 256, 257, 258, 259);

    private static List<MadLayout> layouts() {
        List<MadLayout> layouts =
                new ArrayList<>(List.of(Mad.LAYOUT, Rmpp.LAYOUT, SaHeader.LAYOUT, RdmaCmHeader.LAYOUT, Smp.LAYOUT));
        for (CmMessage message : CmMessage.values()) {
            layouts.add(message.layout());
        }
        for (MadAttribute attribute : MadAttribute.values()) {
            layouts.add(attribute.layout());
        }
        for (int trap : TRAPS) {
            layouts.add(Objects.requireNonNull(TrapDetails.of(trap)));
        }
        return layouts;
    }

    @Test
    void everyNumberIsReadAsWrittenAndChangesNoOtherBit() {
        SplittableRandom random = new SplittableRandom(SEED);
        for (MadLayout layout : layouts()) {
            for (MadField field : layout.fields()) {
                if (field.isNumber()) {
                    check(layout, field, random);
                }
            }
        }
    }

    private static void check(MadLayout layout, MadField field, SplittableRandom random) {
        byte[] noise = new byte[layout.bytes() + 1];
        random.nextBytes(noise);
        MemorySegment memory = MadVectors.memory(noise);
        long value = random.nextLong();
        field.put(memory, 1, value);
        long mask = -1L >>> Long.SIZE - field.bits();

        assertThat(field.get(memory, 1)).as("%s %s", layout.name(), field).isEqualTo(value & mask);
        for (int bit = 0; bit < noise.length * Byte.SIZE; bit++) {
            int place = bit - Byte.SIZE - field.firstBit();
            if (place < 0 || place >= field.bits()) {
                assertThat(bit(memory.toArray(ValueLayout.JAVA_BYTE), bit))
                        .as("bit %d after %s %s", bit, layout.name(), field)
                        .isEqualTo(bit(noise, bit));
            }
        }
    }

    private static int bit(byte[] bytes, int bit) {
        return bytes[bit / Byte.SIZE] >> Byte.SIZE - 1 - bit % Byte.SIZE & 1;
    }

    @Test
    void gidsAndTextsAreReadAsWritten() {
        MemorySegment record = Arena.ofAuto().allocate(ServiceRecord.LAYOUT.bytes());
        ServiceRecord.SERVICE_GID.put(record, 0, Gid.parse("fe80::1:2"));
        ServiceRecord.SERVICE_NAME.bytes(record, 0).setString(0, "storage");

        assertThat(ServiceRecord.SERVICE_GID.gid(record, 0)).isEqualTo(Gid.parse("fe80::1:2"));
        assertThat(ServiceRecord.SERVICE_NAME.text(record, 0)).isEqualTo("storage");
    }

    @Test
    void aTextWithoutAZeroByteHasAllItsCharacters() {
        MemorySegment record =
                Arena.ofAuto().allocate(NodeRecord.LAYOUT.bytes()).fill((byte) 'x');

        assertThat(NodeRecord.NODE_DESCRIPTION.text(record, 0)).isEqualTo("x".repeat(64));
    }

    @Test
    void controlCharactersOfATextAreNotPrinted() {
        MemorySegment record = Arena.ofAuto().allocate(NodeRecord.LAYOUT.bytes());
        NodeRecord.NODE_DESCRIPTION.bytes(record, 0).setString(0, "a\u001b[2Jb");
        FieldText text = new FieldText("");
        NodeRecord.LAYOUT.describe(record, 0, text);

        assertThat(text.toString()).isEqualTo(" nodeDescription \"a?[2Jb\"");
    }

    @Test
    void anAccessorOfAnotherFormatIsRefused() {
        MemorySegment record = Arena.ofAuto().allocate(ServiceRecord.LAYOUT.bytes());

        assertThatThrownBy(() -> ServiceRecord.SERVICE_GID.get(record, 0)).hasMessageContaining("not a number");
        assertThatThrownBy(() -> ServiceRecord.SERVICE_ID.gid(record, 0)).hasMessageContaining("not GID");
        assertThatThrownBy(() -> ServiceRecord.SERVICE_ID.bytes(record, 0)).hasMessageContaining("HEX");
    }

    @Test
    void theBuilderRefusesFieldsThatOverlapOrLeaveTheStructure() {
        MadLayout.Builder overlap = MadLayout.builder("A");
        overlap.hex("a", 0, 12);
        overlap.hex("b", 1, 3, 5);
        MadLayout.Builder outside = MadLayout.builder("B");
        outside.hex("a", 3, 16);

        assertThatThrownBy(() -> overlap.build(4)).hasMessageContaining("b at 1.3");
        assertThatThrownBy(() -> outside.build(4)).hasMessageContaining("a at 3.0");
    }

    @Test
    void componentMasksOfRecordsAreThoseOfTheSpecification() {
        assertThat(PathRecord.DGID.componentMask()).isEqualTo(1L << 2);
        assertThat(PathRecord.FLOW_LABEL.componentMask()).isEqualTo(1L << 8);
        assertThat(PathRecord.NUMB_PATH.componentMask()).isEqualTo(1L << 12);
        assertThat(PathRecord.PREFERENCE.componentMask()).isEqualTo(1L << 22);
        assertThat(McMemberRecord.JOIN_STATE.componentMask()).isEqualTo(1L << 16);
        assertThat(NodeRecord.NODE_DESCRIPTION.componentMask()).isEqualTo(1L << 14);
        assertThat(ServiceRecord.SERVICE_NAME.componentMask()).isEqualTo(1L << 6);
        assertThat(ServiceRecord.SERVICE_DATA_8.elements().getFirst().componentMask())
                .isEqualTo(1L << 7);
        assertThat(ServiceRecord.SERVICE_DATA_16.elements().getFirst().componentMask())
                .isEqualTo(1L << 23);
        assertThat(ServiceRecord.SERVICE_DATA_64.elements().getLast().componentMask())
                .isEqualTo(1L << 36);
        assertThat(NodeInfo.VENDOR_ID.componentMask()).isEqualTo(1L << 13);
        assertThat(PortInfoAttribute.CAPABILITY_MASK.componentMask()).isEqualTo(1L << 7);
        assertThat(PortInfoAttribute.PORT_STATE.componentMask()).isEqualTo(1L << 15);
        assertThat(PortInfoAttribute.LMC.componentMask()).isEqualTo(1L << 20);
        assertThat(PortInfoAttribute.CLIENT_REREGISTER.componentMask()).isEqualTo(1L << 43);
        assertThat(PortInfoAttribute.LINK_SPEED_EXT_ENABLED.componentMask()).isEqualTo(1L << 57);
        assertThat(SmInfo.STATE.componentMask()).isEqualTo(1L << 6);
        assertThat(GuidInfo.GUIDS.elements().getLast().componentMask()).isEqualTo(1L << 11);
        assertThat(LinkRecord.TO_LID.componentMask()).isEqualTo(1L << 3);
        assertThat(MulticastForwardingRecord.BLOCK.componentMask()).isEqualTo(1L << 3);
        assertThat(MultiPathRecord.SERVICE_ID_56_LSB.componentMask()).isEqualTo(1L << 21);
        assertThat(InformInfo.PRODUCER_TYPE.componentMask()).isEqualTo(1L << 15);
        assertThat(CmReq.SERVICE_ID.componentMask()).isZero();
    }

    @Test
    void everyCmMessageHasPrivateDataUpToTheEndOfItsBody() {
        for (CmMessage message : CmMessage.values()) {
            MadField data = message.privateData();
            if (data != null) {
                assertThat(data.offset() + data.length()).as(message.name()).isEqualTo(Mad.DATA_BYTES);
            }
            assertThat(CmMessage.of(message.attributeId())).isEqualTo(message);
        }
        assertThat(CmMessage.of(0x000F)).isNull();
        assertThat(CmMessage.of(0x001D)).isNull();
    }

    @Test
    void responsesAreRecognised() {
        MemorySegment mad = Arena.ofAuto().allocate(Mad.BYTES);
        Mad.write(mad, 0, MadClass.SUBN_ADM, MadMethod.GET_TABLE.code(), 0x35, 7);
        assertThat(Mad.isResponse(mad, 0)).isFalse();
        Mad.METHOD.put(mad, 0, MadMethod.GET_TABLE.responseCode());
        assertThat(Mad.isResponse(mad, 0)).isTrue();
        Mad.METHOD.put(mad, 0, MadMethod.TRAP_REPRESS.code());
        assertThat(Mad.isResponse(mad, 0)).isTrue();
        Mad.write(mad, 0, MadClass.BM, MadMethod.SEND.code(), 0x10, 7);
        assertThat(Mad.isResponse(mad, 0)).isFalse();
        Mad.ATTRIBUTE_MODIFIER.put(mad, 0, 1);
        assertThat(Mad.isResponse(mad, 0)).isTrue();
        assertThat(MadMethod.text(0x92)).isEqualTo("GetTableResp");
    }

    @Test
    void aRecordHasTheFieldsOfItsAttributeAtAnOffsetWithTheirComponents() {
        SplittableRandom random = new SplittableRandom(SEED);
        byte[] bytes = new byte[PortInfoRecord.LAYOUT.bytes()];
        random.nextBytes(bytes);
        MemorySegment record = MadVectors.memory(bytes);
        for (MadField field : PortInfoAttribute.LAYOUT.fields()) {
            MadField inRecord = PortInfoRecord.LAYOUT.fields().stream()
                    .filter(other -> other.name().equals(field.name()) && other.offset() >= PortInfoRecord.PORT_INFO)
                    .findFirst()
                    .orElseThrow();
            assertThat(inRecord.get(record, 0)).isEqualTo(field.get(record, PortInfoRecord.PORT_INFO));
            assertThat(inRecord.componentMask())
                    .isEqualTo(field.componentMask())
                    .isNotZero();
        }
    }

    @Test
    void noTwoFieldsOfARecordHaveTheSameComponent() {
        for (MadAttribute attribute : MadAttribute.values()) {
            long seen = 0;
            for (MadField field : attribute.layout().fields()) {
                assertThat(seen & field.componentMask())
                        .as("%s %s", attribute, field)
                        .isZero();
                seen |= field.componentMask();
            }
        }
    }

    @Test
    void fieldsOfPortInfoAreSettableWhereTheyAreValid() {
        assertThat(PortInfoAttribute.LID.isSettable(PortKind.CHANNEL_ADAPTER)).isTrue();
        assertThat(PortInfoAttribute.LID.isSettable(PortKind.SWITCH_EXTERNAL)).isFalse();
        assertThat(PortInfoAttribute.LMC.isSettable(PortKind.SWITCH_BASE)).isFalse();
        assertThat(PortInfoAttribute.LMC.isSettable(PortKind.SWITCH_ENHANCED)).isTrue();
        assertThat(PortInfoAttribute.HOQ_LIFE.isValid(PortKind.CHANNEL_ADAPTER)).isFalse();
        assertThat(PortInfoAttribute.CAPABILITY_MASK.isValid(PortKind.SWITCH_BASE))
                .isTrue();
        assertThat(PortInfoAttribute.CAPABILITY_MASK.isSettable(PortKind.SWITCH_BASE))
                .isFalse();
    }

    @Test
    void everyAttributeFitsItsDatagramAndIsFoundByItsId() {
        for (MadAttribute attribute : MadAttribute.values()) {
            List<MadClass> owners = Stream.of(MadClass.values())
                    .filter(owner -> MadAttribute.of(owner, attribute.attributeId()) == attribute)
                    .toList();
            assertThat(owners).as(attribute.name()).isNotEmpty();
            for (MadClass owner : owners) {
                int room = owner.isManagement() ? Smp.DATA_BYTES : Mad.BYTES - owner.dataOffset();
                assertThat(attribute.layout().bytes()).as(attribute.name()).isLessThanOrEqualTo(room);
                assertThat(attribute.isRecord() || owner.isManagement() || owner == MadClass.PERF_MGT)
                        .isTrue();
            }
        }
        assertThat(MadAttribute.of(MadClass.SUBN_DIRECTED_ROUTE, 0x11)).isEqualTo(MadAttribute.NODE_INFO);
        assertThat(MadAttribute.of(MadClass.SUBN_ADM, 0x11)).isEqualTo(MadAttribute.NODE_RECORD);
        assertThat(MadAttribute.of(MadClass.PERF_MGT, 0x01)).isEqualTo(MadAttribute.CLASS_PORT_INFO);
        assertThat(MadAttribute.of(MadClass.SUBN_LID_ROUTED, 0x01)).isNull();
        assertThat(MadAttribute.of(MadClass.COM_MGT, 0x01)).isNull();
    }

    @Test
    void methodsAndNodesOfAttributes() {
        assertThat(MadAttribute.NODE_INFO.allows(MadMethod.GET)).isTrue();
        assertThat(MadAttribute.NODE_INFO.allows(MadMethod.SET)).isFalse();
        assertThat(MadAttribute.SM_NOTICE.allows(MadMethod.TRAP_REPRESS)).isTrue();
        assertThat(MadAttribute.MC_MEMBER_RECORD.allows(MadMethod.DELETE)).isTrue();
        assertThat(MadAttribute.LINEAR_FORWARDING_TABLE.isSwitchOnly()).isTrue();
        assertThat(MadAttribute.P_KEY_TABLE.isSwitchOnly()).isFalse();
    }

    @Test
    void anArrayIsPrintedUpToItsLastValue() {
        MemorySegment table = Arena.ofAuto().allocate(Smp.DATA_BYTES);
        LinearForwardingTable.PORTS.elements().get(1).put(table, 0, 255);
        LinearForwardingTable.PORTS.elements().get(3).put(table, 0, 2);
        for (int i = 10; i < 20; i++) {
            LinearForwardingTable.PORTS.elements().get(i).put(table, 0, 7);
        }
        FieldText text = new FieldText("");
        LinearForwardingTable.LAYOUT.describe(table, 0, text);

        assertThat(text.toString()).isEqualTo(" ports 0,255,0,2,0*6,7*10");
        assertThat(LinearForwardingTable.PORTS.getInt(table, 0, 1)).isEqualTo(255);
        assertThat(LinearForwardingTable.PORTS.size()).isEqualTo(64);
    }

    @Test
    void randomDatagramsAreDescribedWithoutException() {
        SplittableRandom random = new SplittableRandom(SEED);
        byte[] bytes = new byte[Mad.BYTES];
        MadClass[] classes = MadClass.values();
        MadAttribute[] attributes = MadAttribute.values();
        for (int i = 0; i < 20_000; i++) {
            random.nextBytes(bytes);
            MemorySegment mad = MadVectors.memory(bytes);
            Mad.BASE_VERSION.put(mad, 0, Mad.BASE_VERSION_1);
            Mad.MGMT_CLASS.put(mad, 0, classes[random.nextInt(classes.length)].code());
            Mad.ATTRIBUTE_ID.put(mad, 0, attributes[random.nextInt(attributes.length)].attributeId());
            FieldText text = new FieldText(MadText.name(mad, 0));
            MadText.describe(mad, 0, text);
            assertThat(text.toString()).contains(" tid ");
        }
    }
}
