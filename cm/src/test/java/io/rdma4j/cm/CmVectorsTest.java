// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.mad.CmMessage;
import io.rdma4j.wire.mad.CmRep;
import io.rdma4j.wire.mad.CmReq;
import io.rdma4j.wire.mad.CmSidrRep;
import io.rdma4j.wire.mad.CmSidrReq;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadField;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** With the parameters of connections of Linux, all messages are those of Linux, except for their ids. */
class CmVectorsTest {
    private static final long BODY = CmMessage.BODY;
    private static final long CLIENT_GUID = 0x5054_00FF_FE77_0002L;
    private static final long SERVER_GUID = 0x5054_00FF_FE77_0001L;

    private final CmNetwork network = new CmNetwork();
    private final CmNetwork.Node client = network.node(CLIENT_GUID, "10.77.0.3");
    private final CmNetwork.Node server = network.node(SERVER_GUID, "10.77.0.2");
    private final Map<CmMessage, MemorySegment> linux = new LinkedHashMap<>();

    private void read(String capture) throws IOException {
        try (InputStream in = Objects.requireNonNull(getClass().getResourceAsStream("/mad/cm_vectors.txt"))) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            for (String paragraph : text.split("\n\n", -1)) {
                String[] lines = paragraph.strip().split("\n", 2);
                if (lines[0].startsWith(capture + " ")) {
                    byte[] bytes = HexFormat.of().parseHex(lines[1].replace("\n", ""));
                    MemorySegment mad = MemorySegment.ofArray(bytes);
                    linux.put(Objects.requireNonNull(CmMessage.of(Mad.ATTRIBUTE_ID.getInt(mad, 0))), mad);
                }
            }
        }
    }

    private MemorySegment linux(CmMessage message) {
        return Objects.requireNonNull(linux.get(message), message.toString());
    }

    private long field(CmMessage message, MadField field) {
        return field.get(linux(message), BODY);
    }

    private MemorySegment privateData(CmMessage message) {
        return Objects.requireNonNull(message.privateData()).bytes(linux(message), BODY);
    }

    private CmPath path(int flowLabel) {
        GlobalRoute route = new GlobalRoute(server.gid(), flowLabel, 0, 64, 0);
        return CmPath.roce(AddressVector.global(1, route), client.gid(), Mtu.MTU_1024);
    }

    /** Compares all bytes but the first two words of the body, if they are ids, and the transaction ID. */
    private void assertLikeLinux(CmMessage message, boolean hasTwoIds) {
        MemorySegment ours = MemorySegment.ofArray(network.lastSent(message).bytes());
        MemorySegment expected = linux(message);
        MemorySegment.copy(expected, 8, ours, 8, Long.BYTES);
        MemorySegment.copy(expected, BODY, ours, BODY, hasTwoIds ? 8 : 4);
        assertThat(HexFormat.of().formatHex((byte[]) ours.heapBase().orElseThrow()))
                .as(message.toString())
                .isEqualTo(HexFormat.of().formatHex((byte[]) expected.heapBase().orElseThrow()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rping", "ucmatose"})
    void theMessagesOfAConnectionAreThoseOfLinux(String capture) throws IOException {
        read(capture);
        server.listen(field(CmMessage.REQ, CmReq.SERVICE_ID));
        CmId active = client.id();
        active.sendReq(ReqParameters.builder(
                        path((int) field(CmMessage.REQ, CmReq.PRIMARY_FLOW_LABEL)),
                        field(CmMessage.REQ, CmReq.SERVICE_ID))
                .queuePair(QpType.RC, (int) field(CmMessage.REQ, CmReq.LOCAL_QPN), (int)
                        field(CmMessage.REQ, CmReq.STARTING_PSN))
                .retryCounts((int) field(CmMessage.REQ, CmReq.RETRY_COUNT), (int)
                        field(CmMessage.REQ, CmReq.RNR_RETRY_COUNT))
                .privateData(privateData(CmMessage.REQ).asSlice(0, 56))
                .build());
        network.settle();
        assertLikeLinux(CmMessage.REQ, false);
        assertIds(CmMessage.REQ, active.localId(), 0);

        CmId passive = server.lastId();
        passive.sendRep(RepParameters.to(
                server.last(CmEvent.ReqReceived.class), (int) field(CmMessage.REP, CmRep.LOCAL_QPN), (int)
                        field(CmMessage.REP, CmRep.STARTING_PSN)));
        network.settle();
        assertLikeLinux(CmMessage.REP, true);
        assertIds(CmMessage.REP, passive.localId(), active.localId());

        active.sendRtu(MemorySegment.NULL);
        network.settle();
        assertLikeLinux(CmMessage.RTU, true);
        assertIds(CmMessage.RTU, active.localId(), passive.localId());

        // rping's client disconnects, and ucmatose's server.
        CmId first = capture.equals("rping") ? active : passive;
        CmId second = first.equals(active) ? passive : active;
        first.sendDreq(MemorySegment.NULL);
        network.settle();
        assertLikeLinux(CmMessage.DREQ, true);
        assertIds(CmMessage.DREQ, first.localId(), second.localId());
        second.sendDrep(MemorySegment.NULL);
        network.settle();
        assertLikeLinux(CmMessage.DREP, true);
        assertIds(CmMessage.DREP, second.localId(), first.localId());
        assertSameTransactions(CmMessage.REQ, CmMessage.REP, CmMessage.RTU);
        assertSameTransactions(CmMessage.DREQ, CmMessage.DREP);
    }

    private void assertIds(CmMessage message, int local, int remote) {
        MemorySegment mad = network.lastSent(message).segment();
        assertThat(CmRep.LOCAL_COMM_ID.getInt(mad, BODY))
                .as("local ID in %s", message)
                .isEqualTo(local);
        if (remote != 0) {
            assertThat(CmRep.REMOTE_COMM_ID.getInt(mad, BODY))
                    .as("remote ID in %s", message)
                    .isEqualTo(remote);
        }
    }

    /** Those of Linux, too. */
    private void assertSameTransactions(CmMessage... messages) {
        for (CmMessage message : messages) {
            assertThat(Mad.TRANSACTION_ID.get(network.lastSent(message).segment(), 0))
                    .isEqualTo(
                            Mad.TRANSACTION_ID.get(network.lastSent(messages[0]).segment(), 0));
            assertThat(Mad.TRANSACTION_ID.get(linux(message), 0))
                    .isEqualTo(Mad.TRANSACTION_ID.get(linux(messages[0]), 0));
        }
    }

    @Test
    void theMessagesOfAResolutionAreThoseOfLinux() throws IOException {
        read("udaddy");
        long service = field(CmMessage.SIDR_REQ, CmSidrReq.SERVICE_ID);
        server.listen(service);
        CmId id = client.id();
        id.sendSidrReq(SidrReqParameters.of(
                path(0), service, privateData(CmMessage.SIDR_REQ).asSlice(0, 180)));
        network.settle();
        assertLikeLinux(CmMessage.SIDR_REQ, false);
        server.lastId()
                .sendSidrRep(SidrRepParameters.success(
                        (int) field(CmMessage.SIDR_REP, CmSidrRep.QPN),
                        (int) field(CmMessage.SIDR_REP, CmSidrRep.QKEY),
                        privateData(CmMessage.SIDR_REP)));
        network.settle();
        assertLikeLinux(CmMessage.SIDR_REP, false);
        assertSameTransactions(CmMessage.SIDR_REQ, CmMessage.SIDR_REP);
    }

    @ParameterizedTest
    @ValueSource(strings = {"rping", "ucmatose"})
    void aRequestOfLinuxIsUnderstood(String capture) throws IOException {
        read(capture);
        server.listen(field(CmMessage.REQ, CmReq.SERVICE_ID));
        server.cm.received(linux(CmMessage.REQ), server.wayBack(client.gid(), 0));
        CmEvent.ReqReceived event = server.last(CmEvent.ReqReceived.class);
        assertThat(event.remoteCaGuid()).isEqualTo(CLIENT_GUID);
        assertThat(event.path().destinationGid()).isEqualTo(client.gid());
        assertThat(event.path().packetLifetime()).isEqualTo(18);
        assertThat(event.path().mtu()).isEqualTo(Mtu.MTU_1024);
        assertThat(event.path().addressVector().dlid()).isZero();
    }
}
