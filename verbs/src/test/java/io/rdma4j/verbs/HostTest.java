// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.device.NodeType;
import io.rdma4j.verbs.device.TransportType;
import io.rdma4j.verbs.loop.LoopDevice;
import io.rdma4j.verbs.loop.LoopProvider;
import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.spi.Provider;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;

class HostTest {
    private final LoopProvider provider = new LoopProvider("loop0", "loop1");
    private final Host host = Host.create("test");

    HostTest() {
        host.register(provider);
    }

    @Test
    @Covers({"UVERBS-2", "UVERBS-4", "UVERBS-5", "UVERBS-6"})
    void aDeviceTellsWhoItIs() {
        Device device = host.devices().get(0);

        assertThat(host.devices()).extracting(Device::name).containsExactly("loop0", "loop1");
        assertThat(device.guid()).isEqualTo(0x0200_00ff_fe00_0001L);
        assertThat(device.nodeDescription()).isEqualTo("loop0");
        assertThat(device.nodeType()).isEqualTo(NodeType.CA);
        assertThat(device.transport()).isEqualTo(TransportType.IB);
        assertThat(device.host()).isSameAs(host);
    }

    @Test
    @Covers("UVERBS-16")
    void listingAgainKeepsWhatIsThereAddsWhatIsNewAndDropsWhatIsGone() {
        Device first = host.devices().get(0);
        LoopDevice second = provider.device(1);

        provider.remove(second);
        provider.add("loop2");

        assertThat(host.devices()).extracting(Device::name).containsExactly("loop0", "loop2");
        assertThat(host.devices().get(0)).isSameAs(first);
    }

    @Test
    void anUnknownDeviceIsRefusedWithTheNamesOfThoseThereAre() {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> host.open("mlx5_0"))
                .withMessageContaining("\"mlx5_0\"")
                .withMessageContaining("loop0, loop1")
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.ENODEV));
    }

    @Test
    void aProviderThatFailsDoesNotHideTheOthers() {
        host.register(new Failing());

        assertThat(host.devices()).extracting(Device::name).containsExactly("loop0", "loop1");
    }

    @Test
    void aSecondDeviceOfTheSameNameIsLeftOut() {
        host.register(new LoopProvider("other", List.of("loop1", "loop2")));

        assertThat(host.devices()).extracting(Device::name).containsExactly("loop0", "loop1", "loop2");
    }

    @Test
    @Covers("RXE-8")
    void aSecondProviderOfTheSameNameIsRefused() {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> host.register(new LoopProvider("loop7")))
                .withMessageContaining("\"loop\"")
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EEXIST));
        assertThat(host.devices()).hasSize(2);
    }

    @Test
    @Covers({"RXE-8", "RXE-9", "RXE-10"})
    void aLinkIsMadeByTheProviderOfItsType() {
        host.register(new LoopProvider("other", List.of()));
        Device made = host.newLink("new0", "other", "up0");
        assertThat(made.name()).isEqualTo("new0");
        assertThat(host.devices()).extracting(Device::name).containsExactly("loop0", "loop1", "new0");
        assertThat(host.device("new0")).isSameAs(made);
    }

    @Test
    @Covers("RXE-10")
    void aLinkThatCannotBeIsRefused() {
        assertRefused(Errno.EINVAL, "new0", "mlx5", "up0");
        assertRefused(Errno.ENODEV, "new0", "loop", "down0");
        assertRefused(Errno.EEXIST, "loop1", "loop", "up0");
        host.register(new Failing());
        assertRefused(Errno.EOPNOTSUPP, "new0", "failing", "up0");
        assertThat(host.devices()).hasSize(2);
    }

    private void assertRefused(Errno errno, String name, String type, String netdev) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> host.newLink(name, type, netdev))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(errno));
    }

    @Test
    @Covers("UVERBS-27")
    void aProviderForOtherVersionsOfTheInterfaceIsRefused() {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> host.register(new Future()))
                .withMessageContaining("2..3")
                .withMessageContaining("this library has " + Provider.ABI_VERSION)
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    @Test
    void aHostWithAnOpenContextStaysOpen() {
        Context context = host.open("loop0");

        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(host::close)
                .withMessageContaining("1 context")
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY));
        assertThat(provider.isClosed()).isFalse();

        context.close();
        host.close();
        host.close();
        assertThat(provider.isClosed()).isTrue();
        assertThatExceptionOfType(RdmaException.class).isThrownBy(host::devices).withMessageContaining("is closed");
    }

    @Test
    void hostsInOneJvmKnowNothingOfOneAnother() {
        assertThat(Host.create("other").devices()).isEmpty();
    }

    @Test
    void theDefaultHostIsMadeOnce() {
        assertThat(Rdma.host()).isSameAs(Rdma.host());
        assertThat(Rdma.devices()).isEqualTo(Rdma.host().devices());
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> Rdma.open("no such device"))
                .withMessageContaining("no such device");
    }

    private static class Failing implements Provider {
        @Override
        public String name() {
            return "failing";
        }

        @Override
        public Collection<? extends DeviceOps> discover() {
            throw new IllegalStateException("the hardware is on fire");
        }
    }

    private static final class Future extends Failing {
        @Override
        public int minAbiVersion() {
            return 2;
        }

        @Override
        public int maxAbiVersion() {
            return 3;
        }

        @Override
        public Collection<? extends DeviceOps> discover() {
            return List.of();
        }
    }
}
