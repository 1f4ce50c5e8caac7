// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Deadline;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.receive.Napi;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Work of a loop run by a thread that posts or polls, and the steps that such a run omits. */
class NetLoopRunTest {
    private static final int POLLS = 64;

    /** One poll in so many reads the clock. */
    private static final int POLLS_PER_LOOK = 4;

    private long timeNs;
    private int looks;
    private final NetLoop loop = new NetLoop(this::look, ProgressMode.AUTOMATIC, 0);
    private final List<String> log = new ArrayList<>();

    private long look() {
        looks++;
        return timeNs;
    }

    /** A client that records its calls. */
    private class Client implements LoopClient {
        boolean idle = true;

        @Override
        public boolean work(long nowNs) {
            log.add("work at " + nowNs);
            idle = true;
            return false;
        }

        @Override
        public boolean hasMore() {
            return false;
        }

        @Override
        public boolean isIdle() {
            return idle;
        }

        @Override
        public boolean isHeldBack() {
            return false;
        }

        @Override
        public void breakDown(Throwable error) {
            log.add("broken: " + error);
        }
    }

    /** Adds a client that has worked once. */
    private <T extends Client> T client(T client) {
        loop.add(client);
        loop.ring();
        log.clear();
        return client;
    }

    private void source(IntUnaryOperator poll) {
        NetDevice device = NetLoopTest.device("eth0");
        Napi napi = device.napis().add(poll::applyAsInt, Napi.POLL_WEIGHT);
        napi.enable();
        loop.add(device);
    }

    @Test
    void aPollInVainLeavesIdleClientsAlone() {
        client(new Client());
        for (int i = 0; i < POLLS; i++) {
            loop.poll();
        }
        assertThat(log).isEmpty();
        loop.ring();
        assertThat(log).hasSize(1);
        loop.exclusively(() -> {});
        loop.poll();
        loop.poll();
        assertThat(log).as("the control path may have changed anything").hasSize(2);
    }

    @Test
    void aClientThatIsNotIdleHasItsTurnAtTheNextPoll() {
        Client client = client(new Client());
        client.idle = false;
        loop.poll();
        loop.poll();
        assertThat(log).hasSize(1);
    }

    /** A driver may deliver data that are not packets, to which a client reacts at once. */
    @Test
    void whatIsNoPacketMayStillMakeWork() {
        Client client = client(new Client());
        List<String> notes = new ArrayList<>(List.of("note"));
        source(_ -> {
            client.idle = notes.isEmpty();
            notes.clear();
            return 0;
        });
        loop.poll();
        assertThat(log).hasSize(1);
        loop.poll();
        assertThat(log).hasSize(1);
    }

    /** Adds a device that says whether it is quiet, and counts in {@code polled} how often it is polled. */
    private void quietDevice(boolean[] quiet, int[] polled) {
        NetDevice device = NetLoopTest.device("eth0", new NetDeviceOps() {
            @Override
            public NetdevTx startXmit(SkBuff skb, NetDevice device) {
                skb.free();
                return NetdevTx.OK;
            }

            @Override
            public @Nullable SkBuff pollReceive(NetDevice device) {
                return null;
            }

            @Override
            public boolean isQuiet() {
                return quiet[0];
            }
        });
        Napi napi = device.napis()
                .add(
                        _ -> {
                            polled[0]++;
                            return 0;
                        },
                        Napi.POLL_WEIGHT);
        napi.enable();
        loop.add(device);
    }

    @Test
    void onePollInEightRunsTheLoopWhileTheDevicesAreQuiet() {
        client(new Client());
        boolean[] quiet = {true};
        int[] polled = {0};
        quietDevice(quiet, polled);
        loop.poll();
        polled[0] = 0;
        for (int i = 0; i < POLLS; i++) {
            loop.poll();
        }
        assertThat(polled[0]).isEqualTo(POLLS / 8);
        loop.exclusively(() -> {});
        loop.poll();
        loop.poll();
        assertThat(log).as("the control path may have changed anything").hasSize(1);
        quiet[0] = false;
        polled[0] = 0;
        for (int i = 0; i < POLLS; i++) {
            loop.poll();
        }
        assertThat(polled[0]).isEqualTo(POLLS);
    }

    @Test
    void aDoorbellIsServedAtOnceWhileTheDevicesAreQuiet() {
        client(new Client());
        quietDevice(new boolean[] {true}, new int[1]);
        loop.poll();
        for (int i = 0; i < POLLS; i++) {
            loop.ring();
            loop.poll();
            assertThat(log).hasSize(i + 1);
        }
    }

    @Test
    void workWithoutTheLoopMakesNoRunDue() {
        client(new Client());
        boolean[] quiet = {true};
        int[] polled = {0};
        quietDevice(quiet, polled);
        loop.poll();
        polled[0] = 0;
        for (int i = 0; i < POLLS; i++) {
            loop.noteWork();
            loop.poll();
        }
        assertThat(polled[0]).isEqualTo(POLLS / 8);
    }

    @Test
    void thePollThatBringsAPacketKnowsTheTime() {
        client(new Client());
        int[] waiting = {0};
        source(_ -> {
            int taken = waiting[0];
            waiting[0] = 0;
            if (taken > 0) {
                log.add("packet at " + loop.nowNs());
            }
            return taken;
        });
        for (timeNs = 1; timeNs <= POLLS_PER_LOOK; timeNs++) {
            loop.poll();
            waiting[0] = 1;
            loop.poll();
            assertThat(log).containsExactly("packet at " + timeNs, "work at " + timeNs);
            log.clear();
        }
    }

    @Test
    void pollsInVainSeldomLookAtTheClockAndFireWhatIsDueSoonEnough() {
        loop.ring();
        Timed timer = new Timed() {
            private long deadlineNs = 100;

            @Override
            protected long nextDeadlineNs() {
                return deadlineNs;
            }

            @Override
            protected void onDeadline(long nowNs) {
                log.add("at " + nowNs);
                deadlineNs = Deadline.NEVER;
            }
        };
        loop.exclusively(() -> loop.schedule(timer));
        timeNs = 99;
        for (int i = 0; i < POLLS; i++) {
            loop.poll();
        }
        assertThat(log).isEmpty();
        assertThat(loop.nextDeadlineNs()).isEqualTo(100);
        looks = 0;
        timeNs = 100;
        for (int i = 0; i < POLLS_PER_LOOK; i++) {
            loop.poll();
        }
        assertThat(log).containsExactly("at 100");
        assertThat(looks).isEqualTo(1);
        assertThat(loop.nextDeadlineNs()).isEqualTo(Deadline.NEVER);
    }

    /** A run that asks the operating system takes longer than the rest of a poll. */
    @Test
    void pollsWithoutWorkPauseForTwoMicrosecondsAfterAnExpensiveRun() {
        client(new Client());
        int[] runs = {0};
        int[] waiting = {0};
        int[] durationNs = {500};
        source(_ -> {
            runs[0]++;
            timeNs += durationNs[0];
            int taken = waiting[0];
            waiting[0] = 0;
            return taken;
        });
        for (int i = 0; i < 20; i++) {
            loop.poll();
        }
        assertThat(runs[0]).as("work may come any moment").isEqualTo(20);
        timeNs = 40_000;
        loop.exclusively(() -> {});
        for (int i = 0; i < POLLS_PER_LOOK; i++) {
            loop.poll();
        }
        runs[0] = 0;
        for (timeNs = 50_000; timeNs < 75_000; timeNs += 100) {
            loop.poll();
        }
        assertThat(runs[0]).as("one in 2.5 µs").isEqualTo(10);
        durationNs[0] = 300;
        runs[0] = 0;
        for (timeNs = 80_000; timeNs < 84_000; timeNs += 100) {
            loop.poll();
        }
        assertThat(runs[0]).as("cheap runs follow at once").isEqualTo(10);
        durationNs[0] = 500;
        waiting[0] = 1;
        runs[0] = 0;
        loop.poll();
        loop.poll();
        assertThat(runs[0]).as("after work each poll runs the loop").isEqualTo(2);
    }

    @Test
    void whoHasEnteredBringsItsWork() {
        client(new Client());
        timeNs = 7;
        assertThat(loop.enter()).isTrue();
        assertThat(log).isEmpty();
        loop.workAndLeave();
        assertThat(log).containsExactly("work at 7");
        assertThat(loop.enter()).as("it has left").isTrue();
        loop.workAndLeave();
    }

    /** As a completion handler does that posts a request: its thread owns the loop already. */
    @Test
    void whoPostsInAVisitLeavesADoorbellThatTheVisitSees() {
        List<Boolean> entered = new ArrayList<>();
        client(new Client() {
            @Override
            public boolean work(long nowNs) {
                if (entered.size() == 1) {
                    entered.add(loop.enter());
                    loop.ring();
                } else {
                    entered.add(false);
                }
                return super.work(nowNs);
            }
        });
        assertThat(loop.enter()).isTrue();
        loop.workAndLeave();
        assertThat(entered).containsExactly(false, false, false);
        assertThat(log).hasSize(2);
    }

    @Test
    void whatIsRungWhileAnotherThreadIsInsideIsDoneByThatOne() throws InterruptedException {
        client(new Client());
        assertThat(loop.enter()).isTrue();
        Thread other = Thread.ofPlatform().start(() -> {
            log.add("entered: " + loop.enter());
            loop.ring();
        });
        other.join();
        assertThat(log).containsExactly("entered: false");
        loop.workAndLeave();
        assertThat(log).containsExactly("entered: false", "work at 0");
    }

    @Test
    void nobodyEntersALoopThatIsDrivenByHand() {
        assertThat(new NetLoop(() -> 0, ProgressMode.MANUAL).enter()).isFalse();
    }

    /**
     * Sets the doorbell in each of 40 calls. The last round of a run ends with a doorbell that was set after the loop
     * had read it.
     */
    private final class Ringer extends Client {
        int left = 40;

        @Override
        public boolean work(long nowNs) {
            if (left > 0) {
                left--;
                loop.ring();
            }
            return false;
        }
    }

    @Test
    void aDoorbellThatWasRungBeforeTheOwnerLeftIsLookedAtBeforeTheThreadGoes() {
        Ringer ringer = new Ringer();
        loop.add(ringer);
        assertThat(loop.enter()).isTrue();
        loop.workAndLeave();
        assertThat(ringer.left).as("turns after work that was brought along").isZero();
        ringer.left = 40;
        loop.ring();
        assertThat(ringer.left).as("turns after a doorbell").isZero();
        ringer.left = 40;
        loop.exclusively(loop::ring);
        assertThat(ringer.left)
                .as("turns after an operation of the control path")
                .isZero();
    }
}
