// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.hca.InputCounters;
import io.rdma4j.ip.SnmpCounter;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.wire.ip.Ipv4;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Receiving: each reason to drop a packet is counted and has no other effect. */
class RoceInputTest {
    private Bench bench = new Bench(Set.of());
    private Endpoint to = prepare();

    private Endpoint prepare() {
        Endpoint endpoint = bench.connected(Bench.PEER_V4, 14);
        endpoint.postReceive(1, 0, 256);
        return endpoint;
    }

    @AfterEach
    void close() {
        bench.close();
    }

    /** Uses a link that hides the IPv4 identification, as UDP sockets do. */
    private void hideIdentification() {
        bench.close();
        bench = new Bench(Set.of(PrivateFlag.HIDDEN_IDENTIFICATION));
        to = prepare();
    }

    /** A packet that is accepted unchanged. */
    private PlainPacket good() {
        return from(Bench.PEER_V4, Bench.LOCAL_V4);
    }

    private PlainPacket from(Gid source, Gid destination) {
        return new PlainPacket(source, destination)
                .qpn(to.qp.qpn())
                .psn(Bench.FIRST_PSN)
                .ackRequest(true)
                .payload(new byte[] {1, 2, 3, 4, 5});
    }

    private void arrive(byte[] packet) {
        bench.link.arrive(packet);
        bench.run();
    }

    private void assertDropped(ToLongFunction<InputCounters> counter, byte[] packet) {
        InputCounters counters = bench.port.inputCounters();
        long before = counter.applyAsLong(counters);
        long all = counters.dropped();
        arrive(packet);
        assertThat(counter.applyAsLong(counters)).isEqualTo(before + 1);
        assertThat(counters.dropped()).isEqualTo(all + 1);
        assertThat(bench.link.sent).isEmpty();
        assertThat(bench.port.counters().receivedPackets).isZero();
        assertThat(to.receiveCq.poll(1)).isEmpty();
        assertThat(to.qp.state()).isEqualTo(QpState.RTS);
        assertThat(to.qp.query().rqPsn()).isEqualTo(Bench.FIRST_PSN);
    }

    private void assertAccepted(byte[] packet) {
        long dropped = bench.port.inputCounters().dropped();
        arrive(packet);
        assertThat(bench.port.inputCounters().dropped()).isEqualTo(dropped);
        assertThat(to.receiveCq.poll(2)).singleElement().satisfies(wc -> {
            assertThat(wc.status()).isEqualTo(WcStatus.SUCCESS);
            assertThat(wc.byteLength()).isEqualTo(5);
        });
        assertThat(bench.link.sent).hasSize(1);
    }

    @Test
    @Covers({"RXE-143", "RXE-157"})
    void aGoodPacketIsReceivedAndAnswered() {
        assertAccepted(good().bytes());
        assertThat(bench.port.counters().receivedPackets).isEqualTo(1);
    }

    @Test
    @Covers({"RXE-151", "RXE-153"})
    void malformedPacketsAreDropped() {
        assertDropped(c -> c.malformed, good().opcode(0xFF).bytes());
        assertDropped(c -> c.malformed, good().version(1).bytes());
        assertDropped(
                c -> c.malformed,
                good().payload().opcode(PlainPacket.ACKNOWLEDGE).bytes());
        assertAccepted(good().bytes());
    }

    /** Reliable datagrams are not implemented; their packets begin with an RDETH. */
    @ParameterizedTest
    @ValueSource(ints = {0x40, 0x44, 0x4C, 0x54})
    @Covers("RXE-130")
    void reliableDatagramsAreDropped(int opcode) {
        assertDropped(
                c -> c.malformed, good().opcode(opcode).extended(new int[3]).bytes());
        assertAccepted(good().bytes());
    }

    /** Truncated after the UDP header, with consistent lengths in the headers. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4, 11, 12, 15})
    @Covers("RXE-151")
    void packetsTooShortForTheirHeadersAreDropped(int transportBytes) {
        byte[] cut = Arrays.copyOf(good().bytes(), 28 + transportBytes);
        ByteBuffer.wrap(cut).putShort(2, (short) cut.length).putShort(24, (short) (8 + transportBytes));
        Ipv4.updateChecksum(MemorySegment.ofArray(cut), 0);
        assertDropped(c -> c.malformed, cut);
        assertAccepted(good().bytes());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 0x10, 0xFFFFFF, 0xFFFFFE, 0x12})
    @Covers("RXE-154")
    void packetsForNobodyAreDropped(int qpn) {
        assertDropped(c -> c.noQueuePair, good().qpn(qpn).bytes());
        assertAccepted(good().bytes());
    }

    /** UC SEND ONLY, UD SEND ONLY with its extended header, XRC SEND ONLY with its own. */
    @ParameterizedTest
    @CsvSource({"0x24,0", "0x64,2", "0xA4,1"})
    void packetsOfAnotherTransportAreDropped(String opcode, int words) {
        assertDropped(
                c -> c.wrongType,
                good().opcode(Integer.decode(opcode)).extended(new int[words]).bytes());
        assertAccepted(good().bytes());
    }

    @Test
    @Covers("RXE-152")
    void packetsFromOrToOtherAddressesAreDropped() {
        Gid stranger = Gid.parse("::ffff:10.1.0.3");
        assertDropped(c -> c.wrongAddress, from(stranger, Bench.LOCAL_V4).bytes());
        arrive(from(Bench.PEER_V4, stranger).bytes());
        assertThat(bench.port.stack().counters().get(SnmpCounter.IN_ADDR_ERRORS))
                .as("what is for another host does not get here")
                .isEqualTo(1);
        assertDropped(c -> c.wrongAddress, from(Bench.PEER_V6, Bench.LOCAL_V6).bytes());
        assertAccepted(good().bytes());
    }

    @Test
    void packetsForAQueuePairWithoutPathAreDropped() {
        Endpoint unconnected = bench.endpoint();
        assertDropped(c -> c.wrongAddress, good().qpn(unconnected.qp.qpn()).bytes());
    }

    @ParameterizedTest
    @ValueSource(ints = {0x0000, 0x8000, 0x8001, 0x7FFE, 0xFFFE})
    @Covers({"PORT-48", "RXE-154"})
    void packetsOfOtherPartitionsAreDropped(int pkey) {
        assertDropped(c -> c.badPkey, good().pkey(pkey).bytes());
        assertAccepted(good().bytes());
    }

    /** A limited member may communicate with a full member. */
    @Test
    void aLimitedMemberOfThePartitionIsAccepted() {
        assertAccepted(good().pkey(0x7FFF).bytes());
    }

    /** A queue pair belongs to the partition in its table entry, even after a change; so do its responses. */
    @Test
    void aPartitionThatChangesTakesItsQueuePairsAlong() {
        bench.port.setPkey(0, 0x8005);
        assertDropped(c -> c.badPkey, good().bytes());
        arrive(good().pkey(0x0005).bytes());
        assertThat(to.receiveCq.poll(1)).hasSize(1);
        // After IPv4 and UDP, the second word of the BTH.
        byte[] answer = bench.link.sent.getFirst();
        assertThat(new byte[] {answer[28 + 2], answer[28 + 3]}).containsExactly(0x80, 0x05);
    }

    /** Inverts one bit that the ICRC covers. */
    @ParameterizedTest
    @ValueSource(ints = {20, 21, 38, 39, 40, 44, 45, 51})
    @Covers({"RXE-143", "RXE-155", "RXE-156"})
    void corruptPacketsAreDropped(int at) {
        byte[] corrupt = good().bytes();
        corrupt[at] ^= 0x02;
        assertDropped(c -> c.badIcrc, corrupt);
        assertAccepted(good().bytes());
    }

    /** The ICRC does not cover fields that routers may change. */
    @Test
    void variantFieldsMayChangeOnTheWay() {
        byte[] packet = good().bytes();
        packet[1] ^= 0x03;
        packet[8]--;
        Ipv4.updateChecksum(MemorySegment.ofArray(packet), 0);
        packet[28 + 4] = (byte) 0x80;
        assertAccepted(packet);
    }

    /** Unless the device hides the identification, one that differs from the header's is treated as corruption. */
    @Test
    void aVisibleIdentificationMustBeTheOneThatWasSent() {
        assertDropped(c -> c.badIcrc, good().identification(0x1234).bytesWithoutIdentification());
        assertAccepted(good().identification(0x1234).bytes());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 0x1234, 0x8000, 0xFFFF})
    @Covers("RXE-143")
    void aHiddenIdentificationIsSolvedFromTheIcrc(int identification) {
        hideIdentification();
        assertAccepted(good().identification(identification).bytesWithoutIdentification());
        assertThat(bench.context.queryHwCounters(1)).containsEntry("rcvd_solved_ip_id", 1L);
    }

    @Test
    void anIdentificationOfZeroNeedsNoSolving() {
        hideIdentification();
        assertAccepted(good().bytes());
        assertThat(bench.context.queryHwCounters(1)).containsEntry("rcvd_solved_ip_id", 0L);
    }

    @Test
    void corruptionIsFoundThoughTheIdentificationIsHidden() {
        hideIdentification();
        for (int bit = 0; bit < 8; bit++) {
            byte[] corrupt = good().identification(77).bytesWithoutIdentification();
            corrupt[40] ^= (byte) (1 << bit);
            assertDropped(c -> c.badIcrc, corrupt);
        }
        assertAccepted(good().identification(77).bytesWithoutIdentification());
    }

    /** Each packet of a merged buffer is checked and counted separately. */
    @Test
    @Covers({"RXE-151", "RXE-154", "RXE-155"})
    void packetsThatWereMergedAreLookedAtOneByOne() {
        to.postReceive(2, 0, 256);
        byte[] corrupt = good().identification(1).bytes();
        corrupt[44] ^= 1;
        bench.link.arriveMerged(List.of(
                good().bytes(),
                corrupt,
                good().identification(2).qpn(0x12).bytes(),
                good().identification(3).opcode(0x24).bytes(),
                good().identification(4).pkey(0x8001).bytes(),
                good().identification(5).version(1).bytes(),
                good().identification(6).psn(Bench.FIRST_PSN + 1).payload().bytes()));
        bench.run();
        assertThat(to.receiveCq.poll(8))
                .satisfiesExactly(
                        wc -> assertThat(wc.byteLength()).isEqualTo(5),
                        wc -> assertThat(wc.byteLength()).isZero());
        InputCounters counters = bench.port.inputCounters();
        assertThat(counters.badIcrc).isEqualTo(1);
        assertThat(counters.noQueuePair).isEqualTo(1);
        assertThat(counters.wrongType).isEqualTo(1);
        assertThat(counters.badPkey).isEqualTo(1);
        assertThat(counters.malformed).isEqualTo(1);
        assertThat(counters.dropped()).isEqualTo(5);
        assertThat(bench.port.counters().receivedPackets).isEqualTo(2);
        assertThat(bench.port.device().stats().rxPackets()).isEqualTo(7);
    }

    /**
     * For example a VLAN over the interface of the device: only a device over the VLAN receives its datagrams, see
     * StackedLinksTest.
     */
    @Test
    @Covers("RXE-150")
    void datagramsOfAnInterfaceWithoutDeviceAreDropped() {
        Gid address = Gid.parse("::ffff:10.2.0.1");
        StubLink link = new StubLink();
        NetDevice other = NetHost.standalone(
                new NetDevice(new NetDeviceSetup("stub1", 4, 4500, 0, List.of(address), FeatureSet.NONE), link));
        other.up();
        bench.port.stack().add(other);
        bench.port.netLoop().add(other);
        link.arrive(from(Bench.PEER_V4, address).bytes());
        bench.run();
        assertThat(bench.port.stack().counters().get(SnmpCounter.UDP_NO_PORTS)).isEqualTo(1);
        assertThat(other.stats().rxPackets()).isEqualTo(1);
        assertThat(bench.port.inputCounters().dropped()).isZero();
        assertThat(bench.port.counters().receivedPackets).isZero();
        assertThat(to.receiveCq.poll(1)).isEmpty();
        assertAccepted(good().bytes());
        bench.port.netLoop().remove(other);
        bench.port.stack().remove(other);
    }

    /** The receiver finds the memory of a local train closed: the sender gets an error, the loop continues. */
    @Test
    void memoryThatIsClosedUnderWayHarmsNobodyElse() {
        Endpoint self = bench.connected(Bench.LOCAL_V4, 14);
        Arena arena = Arena.ofShared();
        MemoryRegion mr = self.pd.registerMemory(arena.allocate(5000), Set.of());
        self.qp.startSend().send().sge(mr.lkey(), mr.address(), 5000).complete();
        arena.close();
        bench.run();
        assertThat(self.sendCq.poll(1))
                .singleElement()
                .satisfies(wc -> assertThat(wc.status()).isEqualTo(WcStatus.LOC_PROT_ERR));
        assertAccepted(good().bytes());
        mr.close();
    }
}
