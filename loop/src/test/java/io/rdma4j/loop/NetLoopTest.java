// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.net.receive.Napi;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.testing.fixtures.Logs;
import io.rdma4j.testing.ledger.Covers;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class NetLoopTest {
    private final NetLoop loop = new NetLoop(() -> 0, ProgressMode.MANUAL);
    private final List<String> log = new ArrayList<>();

    /** A device that polls a given number of items, none of which is a packet. */
    private final class Source {
        final String name;
        final NetDevice device;
        final Napi napi;
        int waiting;

        Source(String name) {
            this.name = name;
            device = device(name);
            napi = device.napis().add(this::take, Napi.POLL_WEIGHT);
            napi.enable();
            loop.add(device);
        }

        private int take(int budget) {
            int taken = Math.min(budget, waiting);
            waiting -= taken;
            if (taken > 0) {
                log.add(name + " " + taken);
            }
            return taken;
        }
    }

    static NetDevice device(String name) {
        return device(name, new NetDeviceOps() {
            @Override
            public NetdevTx startXmit(SkBuff skb, NetDevice device) {
                skb.free();
                return NetdevTx.OK;
            }

            @Override
            public @Nullable SkBuff pollReceive(NetDevice device) {
                return null;
            }
        });
    }

    static NetDevice device(String name, NetDeviceOps driver) {
        return NetHost.standalone(
                new NetDevice(new NetDeviceSetup(LinkType.IP, name, 1, 1500, 0, List.of(), FeatureSet.NONE), driver));
    }

    /** A client that records its calls. */
    private class Client implements LoopClient {
        boolean more;

        @Override
        public boolean work(long nowNs) {
            log.add("work");
            return false;
        }

        @Override
        public boolean hasMore() {
            return more;
        }

        @Override
        public boolean isHeldBack() {
            return false;
        }

        @Override
        public void breakDown(Throwable error) {
            log.add("broken: " + error.getMessage());
        }
    }

    @Test
    @Covers({"NQ-23", "NQ-24"})
    void oneVisitTakes300PacketsFromAllDevicesInTurns() {
        Source first = new Source("eth0");
        Source second = new Source("eth1");
        first.waiting = 1000;
        second.waiting = 130;
        loop.progress(0);
        assertThat(log).containsExactlyInAnyOrder("eth0 64", "eth1 64", "eth0 64", "eth1 64", "eth0 44");
        assertThat(first.waiting).isEqualTo(1000 - 172);
        assertThat(loop.softnet().worker(0).timeSqueeze()).isEqualTo(1);
        assertThat(loop.nextDeadlineNs()).as("there is more").isZero();
        while (first.waiting > 0) {
            loop.progress(0);
        }
        loop.progress(0);
        assertThat(loop.nextDeadlineNs()).isEqualTo(Deadline.NEVER);
    }

    @Test
    @Covers("NQ-24")
    void theBudgetIsChangedAtRunTime() {
        Source source = new Source("eth0");
        source.waiting = 1000;
        assertThat(loop.budget()).isEqualTo(300);
        loop.budget(10);
        loop.progress(0);
        assertThat(source.waiting).isEqualTo(990);
        loop.budget(500);
        loop.progress(0);
        assertThat(source.waiting).isEqualTo(490);
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> loop.budget(0))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    @Test
    void whoeverUsesUpTheBudgetDoesNotKeepTheOthersOut() {
        loop.budget(64);
        Source first = new Source("eth0");
        Source second = new Source("eth1");
        first.waiting = 1000;
        second.waiting = 1000;
        for (int i = 0; i < 10; i++) {
            loop.progress(0);
        }
        assertThat(1000 - first.waiting).isEqualTo(320);
        assertThat(1000 - second.waiting).isEqualTo(320);
    }

    @Test
    void aDeviceThatWasRemovedIsNotPolled() {
        Source source = new Source("eth0");
        source.waiting = 1;
        loop.remove(source.device);
        loop.progress(0);
        assertThat(source.waiting).isEqualTo(1);
    }

    @Test
    void clientsHaveTheirTurnAfterThePackets() {
        Client client = new Client();
        loop.add(client);
        Source source = new Source("eth0");
        source.waiting = 1;
        assertThat(loop.progress(5)).isTrue();
        assertThat(log).containsExactly("eth0 1", "work");
        assertThat(loop.nextDeadlineNs()).isEqualTo(Deadline.NEVER);
        client.more = true;
        loop.progress(7);
        assertThat(loop.nextDeadlineNs()).isEqualTo(7);
        loop.remove(client);
        log.clear();
        loop.progress(8);
        assertThat(log).isEmpty();
    }

    @Test
    void timersFireAtTheirTimeAndMayGoOn() {
        Timed timer = new Timed() {
            private long nextNs = 100;

            @Override
            protected long nextDeadlineNs() {
                return nextNs;
            }

            @Override
            protected void onDeadline(long nowNs) {
                log.add("at " + nowNs + ", the loop's time " + loop.nowNs());
                nextNs += 100;
            }
        };
        loop.schedule(timer);
        loop.progress(99);
        assertThat(log).isEmpty();
        assertThat(loop.nextDeadlineNs()).isEqualTo(100);
        loop.progress(105);
        assertThat(loop.nextDeadlineNs()).isEqualTo(200);
        loop.progress(200);
        assertThat(log).containsExactly("at 105, the loop's time 105", "at 200, the loop's time 200");
        loop.unschedule(timer);
        loop.progress(1000);
        assertThat(log).hasSize(2);
        assertThat(loop.nextDeadlineNs()).isEqualTo(Deadline.NEVER);
    }

    /** The exception does not reach the calling thread, and the other devices continue. */
    @Test
    void aDriverWithABugIsNotPolledAnyMoreAndTheClientsHear() {
        loop.add(new Client());
        Source good = new Source("eth0");
        NetDevice bad = device("eth1");
        Napi broken = bad.napis()
                .add(
                        _ -> {
                            throw new IllegalStateException("a bug");
                        },
                        1);
        broken.enable();
        loop.add(bad);
        assertThat(Logs.of(LoopErrors.class, () -> loop.progress(0)))
                .containsExactly("SEVERE eth1: the driver has failed; the device is not polled any more");
        assertThat(log).contains("broken: a bug");
        log.clear();
        good.waiting = 1;
        loop.progress(0);
        assertThat(log).containsExactly("eth0 1", "work");
    }
}
