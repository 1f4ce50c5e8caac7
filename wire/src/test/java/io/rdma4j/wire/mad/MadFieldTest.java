// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Gid;
import io.rdma4j.wire.FieldText;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class MadFieldTest {
    private static final long SEED = 20_261_124;

    private static List<MadLayout> layouts() {
        List<MadLayout> layouts = new ArrayList<>(List.of(
                Mad.LAYOUT,
                Rmpp.LAYOUT,
                SaHeader.LAYOUT,
                RdmaCmHeader.LAYOUT,
                ClassPortInfo.LAYOUT,
                Notice.LAYOUT,
                InformInfo.LAYOUT));
        for (CmMessage message : CmMessage.values()) {
            layouts.add(message.layout());
        }
        for (SaAttribute attribute : SaAttribute.values()) {
            layouts.add(attribute.layout());
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
}
