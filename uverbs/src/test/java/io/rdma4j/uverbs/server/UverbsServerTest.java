// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.uverbs.abi.AttributeEncoding;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Frame;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.local.RunDirectory;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.Resource;
import io.rdma4j.verbs.values.ResourceKind;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a client sees of a served device: attributes, messages and events. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class UverbsServerTest extends ServerFixture {
    private void serveAnew(int abiVersion) {
        served.close();
        served = new ServedDevice(folder, abiVersion);
    }

    @Test
    @Covers({"UVERBS-30", "UVERBS-33", "UVERBS-35", "UVERBS-43"})
    void aContextSaysOfTheDeviceWhatTheServerKnows() {
        try (Context near = served.near.open("rxe0");
                Context far = served.device.open()) {
            assertThat(near.completionVectors()).isEqualTo(far.completionVectors());
            assertThat(near.queryDevice().limit(DeviceLimit.MAX_QP))
                    .isEqualTo(far.queryDevice().limit(DeviceLimit.MAX_QP));
            assertThat(near.queryDevice().nodeGuid())
                    .isEqualTo(far.queryDevice().nodeGuid());
            assertThat(near.queryPort(1)).isEqualTo(far.queryPort(1));
            assertThat(near.queryGidTable()).isEqualTo(far.queryGidTable()).isNotEmpty();
            assertThat(near.queryPkey(1, 0)).isEqualTo(far.queryPkey(1, 0));
            assertThat(near.queryHwCounters(1).keySet())
                    .isEqualTo(far.queryHwCounters(1).keySet());
            assertThat(served.device.resources())
                    .extracting(Resource::kind)
                    .containsOnly(ResourceKind.CONTEXT)
                    .hasSize(2);
        }
    }

    /** The program is the same for a local device (0) and for a served one with either encoding. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    @Covers({"UVERBS-1", "UVERBS-34", "UVERBS-44", "UVERBS-45", "GEN-3", "GEN-16"})
    void aMessageGoesThroughQueuesThatBothProcessesMap(int abiVersion) throws InterruptedException {
        if (abiVersion != 0) {
            serveAnew(abiVersion);
        }
        Context context = abiVersion == 0 ? served.device.open() : served.near.open("rxe0");
        try (Station station = new Station(context, memory)) {
            station.connect();
            assertThat(station.qp.query().destinationQpn()).isEqualTo(station.qp.qpn());
            assertThat(station.cq.requestNotification(false)).isFalse();
            station.post();
            assertThat(station.channel.getEvent()).isSameAs(station.cq);
            station.cq.acknowledgeEvents(1);
            station.checkArrived();
        }
    }

    /** Each program has its own context. */
    @Test
    @Covers("GEN-16")
    void twoClientsHaveTheDeviceAtOnceAndNothingInCommon() {
        try (Station one = new Station(served.near.open("rxe0"), memory);
                Station other =
                        new Station(ServedDevice.client(served.directory).open("rxe0"), memory)) {
            one.connect();
            other.connect();
            one.post();
            other.post();
            other.checkArrived();
            one.checkArrived();
            assertThat(one.qp.qpn()).isNotEqualTo(other.qp.qpn());
            assertThat(served.device.resources())
                    .extracting(Resource::kind)
                    .filteredOn(ResourceKind.QP::equals)
                    .hasSize(2);
        }
    }

    @Test
    @Covers({"GEN-17", "UVERBS-44", "UVERBS-54"})
    void postingWakesTheServerThatSleepsAndPollingTakesNoCommand() throws Exception {
        RunDirectory tapped = new RunDirectory(folder.resolve("tapped"));
        try (Wiretap tap = new Wiretap(served.device, served.server.entry(), tapped);
                Station station = new Station(ServedDevice.client(tapped).open("rxe0"), memory)) {
            station.connect();
            assertThat(tap.commands())
                    .contains(
                            CommandType.GET_CONTEXT,
                            CommandType.ALLOC_PD,
                            CommandType.REG_MR,
                            CommandType.CREATE_CQ,
                            CommandType.CREATE_QP,
                            CommandType.MODIFY_QP);
            assertThat(tap.heard).allMatch(frame -> frame.style() == AttributeEncoding.IOCTL);
            tap.heard.clear();

            while (tap.heard.isEmpty()) {
                // Long enough for the device's threads to start to sleep.
                TimeUnit.MILLISECONDS.sleep(1);
                station.post();
                station.checkArrived();
            }

            assertThat(tap.commands()).containsOnly(CommandType.POST_SEND);
            assertThat(tap.heard).extracting(Frame::style).containsOnly(AttributeEncoding.WRITE);
        }
    }

    /** A separate JVM whose class path contains only base, verbs and uverbs finds the driver by itself. */
    @Test
    @Covers({"GEN-16", "UVERBS-8", "UVERBS-22", "UVERBS-24", "UVERBS-43", "UVERBS-54"})
    void anotherProcessSendsToThisOne() throws Exception {
        try (Station station = new Station(served.device.open(), memory);
                OtherProcess other = OtherProcess.start(served.directory, memory)) {
            int qpn = Integer.parseInt(other.readLine());
            assertThat(served.device.resources())
                    .anyMatch(resource -> resource.owner().pid() == other.pid() && resource.id() == qpn);
            station.connect(qpn);
            station.qp.postReceive(ReceiveRequest.of(1, station.region.sge(0, 100)));
            other.writeLine(Integer.toString(station.qp.qpn()));
            List<WorkCompletion> done = station.cq.poll(1);
            while (done.isEmpty()) {
                done = station.cq.poll(1);
            }
            assertThat(done.getFirst().status()).isEqualTo(WcStatus.SUCCESS);
            assertThat(station.memory.getString(0)).isEqualTo("from process " + other.pid());
            assertThat(other.readLine()).isEqualTo("SUCCESS");
        }
    }

    @Test
    @Covers("UVERBS-50")
    void anEventFindsItsObjectByTheNumberThatTheProgramGaveIt() throws InterruptedException {
        try (Station one = new Station(served.near.open("rxe0"), memory)) {
            one.connect();
            one.qp.modify(QpAttributes.builder()
                    .state(QpState.SQD)
                    .sqdAsyncNotify(true)
                    .build());
            AsyncEvent event = one.context.getAsyncEvent();
            assertThat(event.type()).isEqualTo(EventType.SQ_DRAINED);
            assertThat(event.queuePair()).isSameAs(one.qp);
            one.context.acknowledgeAsyncEvent(event);
        }
    }

    /** Completion events go to the channel of their queue, others to the context of their object. */
    @Test
    @Covers("UVERBS-55")
    void eventsGoWhereTheirObjectsWereMade() throws InterruptedException {
        try (Station one = new Station(served.near.open("rxe0"), memory);
                Station other = new Station(served.near.open("rxe0"), memory)) {
            one.connect();
            other.connect();
            one.cq.requestNotification(false);
            other.cq.requestNotification(false);
            one.post();
            assertThat(one.channel.getEvent()).isSameAs(one.cq);
            one.cq.acknowledgeEvents(1);
            one.checkArrived();
            one.qp.modify(QpAttributes.builder()
                    .state(QpState.SQD)
                    .sqdAsyncNotify(true)
                    .build());
            AsyncEvent event = one.context.getAsyncEvent();
            assertThat(event.queuePair()).isSameAs(one.qp);
            one.context.acknowledgeAsyncEvent(event);

            other.post();
            assertThat(other.channel.getEvent()).isSameAs(other.cq);
            other.cq.acknowledgeEvents(1);
            other.checkArrived();
            assertThat(other.channel.getEvent(Duration.ZERO)).isNull();
            assertThat(other.context.getAsyncEvent(Duration.ZERO)).isNull();
            assertThat(one.channel.getEvent(Duration.ZERO)).isNull();
        }
    }
}
