// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.wire.FieldText;
import io.rdma4j.wire.mad.MadVectors.Vector;
import io.rdma4j.wire.mad.sa.NodeRecord;
import io.rdma4j.wire.mad.sa.SaHeader;
import io.rdma4j.wire.mad.sm.LinearForwardingTable;
import io.rdma4j.wire.mad.sm.SmInfo;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.sm.SwitchInfo;
import io.rdma4j.wire.mad.table.MadAttribute;
import io.rdma4j.wire.mad.table.MadText;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The datagrams of Linux programs and of a subnet manager. */
class MadVectorsTest {
    private static final long BODY = CmMessage.BODY;

    private static String text(Vector vector) {
        FieldText text = new FieldText(vector.name() + ": " + MadText.name(vector.memory(), 0));
        MadText.describe(vector.memory(), 0, text);
        return text.toString();
    }

    private static MemorySegment cm(String name) {
        return MadVectors.cm().stream()
                .filter(vector -> vector.name().startsWith(name))
                .findFirst()
                .orElseThrow()
                .memory();
    }

    @Test
    void theTextOfAllDatagramsIsThatOfTheGoldenFile() {
        String golden = new String(MadVectors.resource("/mad/golden.txt"), StandardCharsets.UTF_8);

        assertThat(Stream.concat(MadVectors.cm().stream(), MadVectors.catalogue().stream())
                        .map(MadVectorsTest::text)
                        .collect(Collectors.joining("\n", "", "\n")))
                .isEqualTo(golden);
    }

    @Test
    void allDatagramsAreWellFormed() {
        List<Vector> vectors = Stream.concat(MadVectors.cm().stream(), MadVectors.catalogue().stream())
                .toList();

        assertThat(vectors)
                .hasSize(12 + 40)
                .allSatisfy(vector -> assertThat(Mad.check(vector.memory(), 0, Mad.BYTES))
                        .as(vector.name())
                        .isEqualTo(MadCheck.OK));
    }

    @Test
    void everyTruncationIsRefused() {
        for (Vector vector : MadVectors.cm()) {
            for (int length = 0; length < Mad.BYTES; length++) {
                // First in memory that ends with the datagram, then in a larger buffer.
                assertThat(Mad.check(vector.memory().asSlice(0, length), 0, Mad.BYTES))
                        .isEqualTo(MadCheck.TOO_SHORT);
                assertThat(Mad.check(vector.memory(), 0, length)).isEqualTo(MadCheck.TOO_SHORT);
            }
        }
    }

    @Test
    void anotherBaseVersionIsRefused() {
        MemorySegment mad = cm("rping 1 ");
        for (int version : new int[] {0, 2, 0xFF}) {
            Mad.BASE_VERSION.put(mad, 0, version);
            assertThat(Mad.check(mad, 0, Mad.BYTES)).isEqualTo(MadCheck.BAD_VERSION);
        }
    }

    @Test
    void cmMessagesAreEncodedToTheSameBytes() {
        for (Vector vector : MadVectors.cm()) {
            MemorySegment from = vector.memory();
            CmMessage message = Objects.requireNonNull(CmMessage.of(Mad.ATTRIBUTE_ID.getInt(from, 0)));
            MemorySegment to = Arena.ofAuto().allocate(Mad.BYTES).fill((byte) 0xA5);
            message.write(to, 0, Mad.TRANSACTION_ID.get(from, 0));
            copyFields(message.layout(), from, to, BODY);

            assertThat(to.mismatch(from)).as(vector.name()).isEqualTo(-1);
        }
    }

    @Test
    void aNodeRecordIsEncodedToTheSameBytes() {
        MemorySegment from = MadVectors.catalogue().get(37).memory();
        MemorySegment to = Arena.ofAuto().allocate(Mad.BYTES);
        copyFields(Mad.LAYOUT, from, to, 0);
        copyFields(Rmpp.LAYOUT, from, to, Rmpp.OFFSET);
        copyFields(SaHeader.LAYOUT, from, to, SaHeader.OFFSET);
        copyFields(NodeRecord.LAYOUT, from, to, SaHeader.DATA);
        int end = SaHeader.DATA + NodeRecord.LAYOUT.bytes();

        assertThat(to.asSlice(0, end).mismatch(from.asSlice(0, end))).isEqualTo(-1);
    }

    @Test
    void everyDatagramOfSubnetManagementIsEncodedToTheSameBytes() {
        int attributes = 0;
        for (Vector vector : MadVectors.catalogue()) {
            MemorySegment from = vector.memory();
            MadClass mgmtClass = Objects.requireNonNull(MadClass.of(Mad.MGMT_CLASS.getInt(from, 0)));
            if (!mgmtClass.isManagement()) {
                continue;
            }
            MadLayout layout = Objects.requireNonNull(
                            MadAttribute.of(mgmtClass, Mad.ATTRIBUTE_ID.getInt(from, 0)), vector.name())
                    .layout();
            MemorySegment to = Arena.ofAuto().allocate(Mad.BYTES);
            copyFields(Mad.LAYOUT, from, to, 0);
            copyFields(Smp.LAYOUT, from, to, 0);
            assertThat(to.asSlice(0, 36).mismatch(from.asSlice(0, 36)))
                    .as(vector.name())
                    .isEqualTo(-1);
            if (Mad.METHOD.getInt(from, 0) != MadMethod.GET.code()) {
                attributes++;
                copyFields(layout, from, to, Smp.DATA);
                assertThat(to.asSlice(Smp.DATA, layout.bytes()).mismatch(from.asSlice(Smp.DATA, layout.bytes())))
                        .as(vector.name())
                        .isEqualTo(-1);
            }
        }
        assertThat(attributes).isEqualTo(22);
    }

    /** Facts of the simulated subnet that do not come from the table of fields. */
    @Test
    void aSwitchAnswersWithItsTablesAndPorts() {
        List<Vector> catalogue = MadVectors.catalogue();
        MemorySegment switchInfo = catalogue.get(11).memory();
        MemorySegment table = catalogue.get(22).memory();
        MemorySegment smInfo = catalogue.get(24).memory();

        assertThat(SwitchInfo.MULTICAST_FDB_CAP.getInt(switchInfo, Smp.DATA)).isEqualTo(1024);
        assertThat(SwitchInfo.LINEAR_FDB_CAP.getInt(switchInfo, Smp.DATA)).isEqualTo(30 * 1024);
        assertThat(Smp.RETURN_PATH.getInt(switchInfo, 0, 1)).isEqualTo(1);
        assertThat(LinearForwardingTable.PORTS.getInt(table, Smp.DATA, 0)).isEqualTo(255);
        assertThat(SmInfo.STATE.getInt(smInfo, Smp.DATA)).isEqualTo(3);
    }

    private static void copyFields(MadLayout layout, MemorySegment from, MemorySegment to, long offset) {
        for (MadField field : layout.fields()) {
            if (field.isNumber()) {
                field.put(to, offset, field.get(from, offset));
            } else if (field.isGid()) {
                field.put(to, offset, field.gid(from, offset));
            } else {
                field.bytes(to, offset).copyFrom(field.bytes(from, offset));
            }
        }
    }

    /** Facts of the captured conversation of ucmatose that do not come from the table of fields. */
    @Test
    void theRequestOfUcmatoseHasTheParametersOfTheProgram() {
        MemorySegment mad = cm("ucmatose 1 ");

        assertThat(CmReq.SERVICE_ID.get(mad, BODY)).isEqualTo(0x0106_0000L | 7471);
        assertThat(CmReq.STARTING_PSN.getInt(mad, BODY)).isEqualTo(7_334_654);
        assertThat(CmReq.PRIMARY_FLOW_LABEL.getInt(mad, BODY)).isEqualTo(54_017 * 31 + 7471 & 0xF_FFFF);
        assertThat(CmReq.PRIMARY_LOCAL_PORT_LID.getInt(mad, BODY)).isEqualTo(0xFFFF);
        assertThat(CmReq.PRIMARY_LOCAL_PORT_GID.gid(mad, BODY)).isEqualTo(Gid.parse("10.77.0.3"));
        assertThat(CmReq.PRIMARY_REMOTE_PORT_GID.gid(mad, BODY)).isEqualTo(Gid.parse("10.77.0.2"));
        assertThat(CmReq.PRIMARY_HOP_LIMIT.getInt(mad, BODY)).isEqualTo(64);
        assertThat(CmReq.PRIMARY_LOCAL_ACK_TIMEOUT.getInt(mad, BODY)).isEqualTo(19);
        assertThat(CmReq.PRIMARY_PACKET_RATE.getInt(mad, BODY)).isZero();
        assertThat(CmReq.ALTERNATE_LOCAL_PORT_LID.isSet(mad, BODY)).isFalse();
        assertThat(CmReq.RETRY_COUNT.getInt(mad, BODY)).isEqualTo(5);
        assertThat(CmReq.RNR_RETRY_COUNT.getInt(mad, BODY)).isZero();
        assertThat(CmReq.MAX_CM_RETRIES.getInt(mad, BODY)).isEqualTo(15);
        assertThat(CmReq.PATH_MTU.getInt(mad, BODY)).isEqualTo(3);
        assertThat(CmReq.PARTITION_KEY.getInt(mad, BODY)).isEqualTo(0xFFFF);
        assertThat(CmReq.REMOTE_CM_RESPONSE_TIMEOUT.getInt(mad, BODY)).isEqualTo(20);
    }

    @Test
    void theHeaderOfRdmaCmHasPortAndAddresses() {
        MemorySegment mad = cm("ucmatose 1 ");
        long header = BODY + CmReq.PRIVATE_DATA.offset();

        assertThat(RdmaCmHeader.isValid(mad, header)).isTrue();
        assertThat(RdmaCmHeader.SOURCE_PORT.getInt(mad, header)).isEqualTo(54_017);
        assertThat(RdmaCmHeader.source(mad, header)).isEqualTo(Gid.parse("10.77.0.3"));
        assertThat(RdmaCmHeader.destination(mad, header)).isEqualTo(Gid.parse("10.77.0.2"));

        MemorySegment written = Arena.ofAuto().allocate(RdmaCmHeader.BYTES).fill((byte) 0xA5);
        RdmaCmHeader.write(written, 0, 54_017, Gid.parse("10.77.0.3"), Gid.parse("10.77.0.2"));
        assertThat(written.mismatch(mad.asSlice(header, RdmaCmHeader.BYTES))).isEqualTo(-1);
    }

    @Test
    void theHeaderOfRdmaCmCarriesIpv6AddressesUnchanged() {
        MemorySegment header = Arena.ofAuto().allocate(RdmaCmHeader.BYTES);
        RdmaCmHeader.write(header, 0, 1, Gid.parse("fd77::3"), Gid.parse("fd77::2"));

        assertThat(RdmaCmHeader.IP_VERSION.getInt(header, 0)).isEqualTo(6);
        assertThat(RdmaCmHeader.source(header, 0)).isEqualTo(Gid.parse("fd77::3"));
        assertThat(RdmaCmHeader.destination(header, 0)).isEqualTo(Gid.parse("fd77::2"));
    }

    @Test
    void repliesCrossTheCommunicationIdsOfTheRequest() {
        MemorySegment req = cm("rping 1 ");
        MemorySegment rep = cm("rping 2 ");
        MemorySegment dreq = cm("rping 40 ");

        assertThat(CmRep.REMOTE_COMM_ID.get(rep, BODY)).isEqualTo(CmReq.LOCAL_COMM_ID.get(req, BODY));
        assertThat(CmDreq.REMOTE_COMM_ID.get(dreq, BODY)).isEqualTo(CmRep.LOCAL_COMM_ID.get(rep, BODY));
        assertThat(CmDreq.REMOTE_QPN.get(dreq, BODY)).isEqualTo(CmRep.LOCAL_QPN.get(rep, BODY));
        assertThat(CmRep.TARGET_ACK_DELAY.getInt(rep, BODY)).isEqualTo(15);
    }

    @Test
    void aSidrReplyHasQueuePairAndQkey() {
        MemorySegment rep = MadVectors.cm().stream()
                .map(Vector::memory)
                .filter(mad -> Mad.ATTRIBUTE_ID.getInt(mad, 0) == CmMessage.SIDR_REP.attributeId())
                .findFirst()
                .orElseThrow();

        assertThat(CmSidrRep.STATUS.getInt(rep, BODY)).isEqualTo(SidrStatus.SUCCESS.code());
        assertThat(CmSidrRep.QKEY.getInt(rep, BODY)).isEqualTo(0x0123_4567);
        assertThat(CmSidrRep.SERVICE_ID.get(rep, BODY)).isEqualTo(0x0111_0000L | 7174);
    }
}
