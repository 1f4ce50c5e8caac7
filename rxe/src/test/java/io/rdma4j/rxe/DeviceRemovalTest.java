// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.device.DeviceModification;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A device is deleted while in use, and the node description of a device is changed. */
class DeviceRemovalTest {
    private static final int DEVICE = 33;

    private final Host host = Host.create("test");

    DeviceRemovalTest() {
        host.register(new RxeProvider(List.of(TestAddresses.device(DEVICE)), RxeOptions.DEFAULT));
    }

    @AfterEach
    void close() {
        host.close();
    }

    /** A receive without a message completes, no thread hangs, and all objects can be closed. */
    @Test
    @Covers({"DEV-4", "GEN-18", "UVERBS-53"})
    void whatWasPostedIsFlushedAndEverythingCanBeClosed() throws InterruptedException {
        try (UdpPair pair = new UdpPair(EndpointSetup.DEFAULT, LinkSetup.DEFAULT)) {
            Endpoint endpoint = pair.a;
            endpoint.postReceive(7, 0, 8);

            pair.deleteFirst();

            List<WorkCompletion> completions = endpoint.receiveCq.poll(4);
            assertThat(completions).singleElement().satisfies(wc -> {
                assertThat(wc.wrId()).isEqualTo(7);
                assertThat(wc.status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
            });
            AsyncEvent event = endpoint.context.getAsyncEvent();
            assertThat(event.type()).isEqualTo(EventType.DEVICE_FATAL);
            endpoint.context.acknowledgeAsyncEvent(event);
            assertThat(endpoint.context.getAsyncEvent(Duration.ZERO)).isNull();
            assertThatExceptionOfType(RdmaException.class)
                    .isThrownBy(endpoint.context::allocatePd)
                    .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EIO));
        }
    }

    /**
     * Like {@code ibverbs_device_hold}: the object remains until the list and the context that refer to it are closed.
     */
    @Test
    @Covers("UVERBS-7")
    void aDeletedDeviceStaysUsableForTheListAndTheContextThatReferToIt() throws InterruptedException {
        List<Device> list = host.devices();
        Device held = list.getFirst();
        long guid = held.guid();
        try (Context context = held.open()) {
            host.deleteLink("rxe0");
            assertThat(host.devices()).isEmpty();
            Device successor = host.newLink("rxe0", "rxe", "lo");
            assertThat(list).containsExactly(held).doesNotContain(successor);
            assertThat(held.isPresent()).isFalse();
            assertThat(held.name()).isEqualTo("rxe0");
            assertThat(held.guid()).isEqualTo(guid);
            assertThat(context.device()).isSameAs(held);
            AsyncEvent event = context.getAsyncEvent(Duration.ofSeconds(30));
            assertThat(Objects.requireNonNull(event).type()).isEqualTo(EventType.DEVICE_FATAL);
            context.acknowledgeAsyncEvent(event);
            assertThatExceptionOfType(RdmaException.class)
                    .isThrownBy(held::open)
                    .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.ENODEV));
        }
    }

    @Test
    @Covers("TOOL-18")
    void anInterfaceWhoseDeviceWasDeletedCarriesANewOne() {
        try (Host other = Host.create("interfaces")) {
            other.register(new RxeProvider(List.of(), RxeOptions.DEFAULT));
            other.newLink("rxe_0", "rxe", "lo");
            other.deleteLink("rxe_0");
            assertThat(other.newLink("rxe_1", "rxe", "lo").isPresent()).isTrue();
            assertThat(other.devices()).extracting(Device::name).containsExactly("rxe_1");
        }
    }

    @Test
    @Covers({"DEV-56", "DEV-57", "DEV-58", "DEV-59"})
    void descriptionAndSystemImageCanBeChangedTogetherOrAlone() {
        Device device = host.device("rxe0");
        try (Context context = device.open()) {
            assertThat(context.queryDevice().systemImageGuid()).isEqualTo(device.guid());

            device.modify(DeviceModification.ofNodeDescription("rack 7, second from above"));
            assertThat(device.nodeDescription()).isEqualTo("rack 7, second from above");
            assertThat(context.queryDevice().systemImageGuid()).isEqualTo(device.guid());

            device.modify(DeviceModification.ofSystemImageGuid(0x0200_00ff_fe12_3456L));
            assertThat(device.nodeDescription()).isEqualTo("rack 7, second from above");
            assertThat(context.queryDevice().systemImageGuid()).isEqualTo(0x0200_00ff_fe12_3456L);

            device.modify(new DeviceModification(OptionalLong.of(5), Optional.of("both")));
            assertThat(device.nodeDescription()).isEqualTo("both");
            assertThat(context.queryDevice().systemImageGuid()).isEqualTo(5);
        }
    }

    @Test
    @Covers("DEV-59")
    void aDescriptionHasSixtyFourBytesAtMost() {
        Device device = host.device("rxe0");
        device.modify(DeviceModification.ofNodeDescription("x".repeat(64)));
        assertThat(device.nodeDescription()).hasSize(64);

        for (String bad : List.of("x".repeat(65), "ä".repeat(33), "a\0b")) {
            assertThatExceptionOfType(RdmaException.class)
                    .isThrownBy(() -> DeviceModification.ofNodeDescription(bad))
                    .withMessageContaining("at most 64")
                    .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
        }
    }
}
