// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.receive.Napi;
import io.rdma4j.net.receive.NapiList;
import io.rdma4j.net.receive.PollLoop;
import io.rdma4j.net.receive.Softnet;
import io.rdma4j.testing.fixtures.Logs;
import io.rdma4j.testing.ledger.Covers;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NapiTest {
    private final NapiList list = emptyList();
    private final Polls polls = new Polls();
    private int waiting;
    private int polled;
    private final Napi napi = list.add(this::take, 64);

    private static NapiList emptyList() {
        NetDevice device =
                new NetDevice(new NetDeviceSetup("eth0", 1, 1500, 0, List.of(), Set.of()), new RecordingDriver());
        device.napis().remove(device.napi());
        return device.napis();
    }

    private int take(int budget) {
        polled++;
        int taken = Math.min(budget, waiting);
        waiting -= taken;
        return taken;
    }

    /** A loop that records its calls. */
    private static final class Polls implements PollLoop {
        final List<Napi> polled = new ArrayList<>();
        final List<Napi> raised = new ArrayList<>();

        @Override
        public int add(Napi napi) {
            polled.add(napi);
            return polled.size() - 1;
        }

        @Override
        public void remove(Napi napi) {
            polled.remove(napi);
        }

        @Override
        public long nowNs() {
            return 0;
        }

        @Override
        public Softnet softnet() {
            throw new IllegalStateException("not here");
        }

        @Override
        public void raise(Napi napi, int number) {
            raised.add(napi);
        }

        @Override
        public void enabled(int number) {}

        @Override
        public void exclusively(Runnable action) {
            action.run();
        }

        @Override
        public void expectFlush() {}

        @Override
        public void pollAt(Napi napi, long timeNs) {
            throw new IllegalStateException("not here");
        }
    }

    /** Schedule, poll while the link has packets, complete. */
    @Test
    @Covers({"NQ-15", "NQ-21", "NQ-22"})
    void theFirstPacketSchedulesAndThenItIsPolledUntilTheLinkIsEmpty() {
        list.attach(polls);
        napi.enable();
        waiting = 100;
        assertThat(napi.schedule()).isTrue();
        assertThat(polls.raised).containsExactly(napi);
        assertThat(napi.run(300)).isEqualTo(64);
        assertThat(napi.isScheduled()).as("there may be more").isTrue();
        assertThat(napi.run(300)).isEqualTo(36);
        assertThat(napi.isScheduled()).isFalse();
        assertThat(polls.raised).hasSize(1);
        napi.schedule();
        assertThat(polls.raised).hasSize(2);
    }

    @Test
    @Covers("NQ-15")
    void whatComesWhileItIsPolledDisturbsNobody() {
        list.attach(polls);
        napi.enable();
        napi.schedule();
        assertThat(napi.schedule()).isFalse();
        assertThat(polls.raised).hasSize(1);
    }

    /** The last read of the link may have happened before the packet arrived. */
    @Test
    @Covers("NQ-22")
    void whatComesBetweenTheLastLookAndTheEndIsPolledOnceMore() {
        Napi[] self = new Napi[1];
        self[0] = list.add(
                _ -> {
                    if (polled++ == 0) {
                        self[0].schedule();
                    }
                    return 0;
                },
                64);
        self[0].enable();
        self[0].schedule();
        self[0].run(300);
        assertThat(self[0].isScheduled()).isTrue();
        self[0].run(300);
        assertThat(self[0].isScheduled()).isFalse();
    }

    @Test
    @Covers({"NQ-19", "NQ-20"})
    void whileItIsDisabledItIsNeitherScheduledNorPolled() {
        waiting = 1;
        assertThat(napi.schedule()).isFalse();
        assertThat(napi.run(300)).isZero();
        napi.enable();
        assertThat(napi.schedule()).isTrue();
        napi.disable();
        assertThat(napi.isScheduled()).isFalse();
        assertThat(napi.run(300)).isZero();
        assertThat(polled).isZero();
        napi.enable();
        assertThat(napi.run(300)).isEqualTo(1);
    }

    @Test
    @Covers({"NQ-16", "NQ-18"})
    void aDeviceHasAListOfThemWhichItsLoopPolls() {
        list.attach(polls);
        Napi second = list.add(this::take, 16);
        assertThat(second.weight()).isEqualTo(16);
        assertThat(list.all()).containsExactly(napi, second);
        assertThat(polls.polled).containsExactly(napi, second);
        second.enable();
        list.remove(second);
        assertThat(second.schedule()).isFalse();
        assertThat(list.all()).containsExactly(napi);
        assertThat(polls.polled).containsExactly(napi);
        list.detach();
        assertThat(polls.polled).isEmpty();
    }

    @Test
    @Covers("NQ-17")
    void itsWeightIsWhatOnePollHandsOver() {
        Napi light = list.add(this::take, 3);
        light.enable();
        waiting = 100;
        assertThat(light.run(300)).isEqualTo(3);
        assertThat(light.run(2)).as("what is left for all").isEqualTo(2);
    }

    @Test
    @Covers("NQ-17")
    void aWeightAboveTheUsualIsAnErrorInTheLog() {
        assertThat(Logs.of(NapiList.class, () -> list.add(this::take, 64))).isEmpty();
        List<String> log = Logs.of(
                NapiList.class,
                () -> assertThat(list.add(this::take, 65).weight()).isEqualTo(65));
        assertThat(log).containsExactly("SEVERE eth0: weight 65 of a polling context is more than 64");
    }

    @Test
    void aWeightOfNothingIsRefused() {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> list.add(this::take, 0))
                .withMessageContaining("weight 0")
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    @Test
    void aDeviceIsPolledByOneLoop() {
        list.attach(polls);
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> list.attach(new Polls()))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY));
    }
}
