// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.ns;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Deadline;
import io.rdma4j.net.DeviceReferences;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceListener;
import io.rdma4j.net.device.NetDeviceEvent;
import io.rdma4j.net.device.RegistrationState;
import io.rdma4j.testing.fixtures.AllocatedBytes;
import io.rdma4j.testing.ledger.Covers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UnregisterTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final List<String> log = new ArrayList<>();
    private final List<NetDeviceEvent> events = new ArrayList<>();
    private long now = 5 * SECOND;
    private final NetHost host = NetHost.create(() -> now, log::add);
    private final StubDriver driver = new StubDriver();
    private final NetDevice device = host.initial().register(driver.make("eth%d", 0));
    private final DeviceReferences references = device.references();

    @AfterEach
    void close() {
        host.unregister(host.devices());
    }

    private RegistrationState state() {
        return device.registration().state();
    }

    @Test
    @Covers({"NDEV-52", "NDEV-53", "NDEV-62"})
    void aDeviceThatIsHeldIsFreedByWhoGivesTheLastReferenceBack() {
        references.hold();
        references.hold();
        device.unregister();
        assertThat(state()).isEqualTo(RegistrationState.UNREGISTERED);
        references.put();
        assertThat(state()).isEqualTo(RegistrationState.UNREGISTERED);
        assertThat(driver.calls).doesNotContain("destructor");
        references.put();
        assertThat(state()).isEqualTo(RegistrationState.RELEASED);
    }

    @Test
    @Covers("NDEV-49")
    void theDestructorRunsOnceAndLast() {
        references.hold();
        device.unregister();
        assertThat(driver.calls).containsExactly("init", "uninit");
        references.put();
        assertThat(driver.calls).containsExactly("init", "uninit", "destructor");
        device.registration().free();
        device.unregister();
        assertThat(driver.calls).hasSize(3);
    }

    @Test
    @Covers("NDEV-49")
    void whatIsUnregisteredUnderTheLockIsReleasedWhenTheLockIsGivenBack() {
        host.rtnl().run(() -> {
            device.unregister();
            assertThat(state()).isEqualTo(RegistrationState.UNREGISTERING);
        });
        assertThat(state()).isEqualTo(RegistrationState.RELEASED);
    }

    @Test
    void aDestructorMayGiveBackAnotherDevice() {
        NetDevice lower = host.initial().register(StubDriver.device("lower"));
        NetDevice upper = host.initial().register(StubDriver.above(lower, "upper"));
        lower.unregister();
        assertThat(lower.registration().state()).isEqualTo(RegistrationState.UNREGISTERED);
        upper.unregister();
        assertThat(upper.registration().state()).isEqualTo(RegistrationState.RELEASED);
        assertThat(lower.registration().state()).isEqualTo(RegistrationState.RELEASED);
    }

    @Test
    void aDeviceThatIsHeldTooLongIsAskedForAndComplainedOf() {
        references.hold();
        references.hold();
        assertThat(host.nextDeadlineNs()).isEqualTo(Deadline.NEVER);
        device.addListener((_, event) -> events.add(event));
        device.unregister();
        events.clear();
        assertThat(host.nextDeadlineNs()).isEqualTo(now + SECOND);
        host.onTimeout(now += SECOND - 1);
        assertThat(events).isEmpty();
        host.onTimeout(++now);
        assertThat(events).containsExactly(NetDeviceEvent.UNREGISTER);
        assertThat(log).isEmpty();
        host.onTimeout(now += 9 * SECOND);
        assertThat(log).containsExactly("unregister_netdevice: waiting for eth0 to become free. Usage count = 2");
        references.put();
        references.put();
        assertThat(host.nextDeadlineNs()).isEqualTo(Deadline.NEVER);
        host.onTimeout(now += 20 * SECOND);
        assertThat(log).hasSize(1);
    }

    @Test
    void aFollowerThatIsRemindedMayLetGo() {
        references.hold();
        NetDeviceListener lets = (_, event) -> references.put();
        device.unregister();
        device.addListener(lets);
        host.onTimeout(now += SECOND);
        assertThat(state()).isEqualTo(RegistrationState.RELEASED);
    }

    @Test
    @Covers("NDEV-51")
    void manyThreadsCountWithoutLossAndTheLastOneFreesTheDevice() throws InterruptedException {
        int threads = 4;
        CountDownLatch held = new CountDownLatch(threads);
        CountDownLatch gone = new CountDownLatch(1);
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            all.add(Thread.ofPlatform().start(() -> {
                for (int k = 0; k < 10_000; k++) {
                    references.hold();
                }
                held.countDown();
                await(gone);
                for (int k = 0; k < 10_000; k++) {
                    references.put();
                }
            }));
        }
        held.await();
        assertThat(references.count()).isEqualTo(40_000);
        device.unregister();
        assertThat(state()).isEqualTo(RegistrationState.UNREGISTERED);
        gone.countDown();
        for (Thread thread : all) {
            thread.join();
        }
        assertThat(references.count()).isZero();
        assertThat(state()).isEqualTo(RegistrationState.RELEASED);
        assertThat(driver.calls).containsOnlyOnce("destructor");
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void holdingAllocatesNothing() {
        long bytes = AllocatedBytes.inSteadyState(() -> {
            for (int i = 0; i < 10_000; i++) {
                references.hold();
                references.put();
            }
        });
        assertThat(bytes).isZero();
    }
}
