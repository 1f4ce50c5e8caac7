// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.net.NetDevice;
import io.rdma4j.net.receive.Napi;
import io.rdma4j.net.receive.NapiPoll;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which polling contexts a loop polls in a run. */
class NapiPollerTest {
    private final NetLoop loop = new NetLoop(() -> 0, ProgressMode.MANUAL);
    private final List<String> polled = new ArrayList<>();

    /** A device without packets, which records its polls. */
    private final class Link implements NapiPoll {
        final NetDevice device;
        final Napi napi;
        boolean signalled;
        int packets;
        Runnable onPoll = () -> {};

        Link(String name) {
            this(name, true);
        }

        Link(String name, boolean signalled) {
            this.signalled = signalled;
            device = NetLoopTest.device(name);
            napi = device.napis().add(this, Napi.POLL_WEIGHT);
            napi.enable();
            loop.add(device);
        }

        @Override
        public int poll(int budget) {
            polled.add(device.name());
            onPoll.run();
            return packets;
        }

        @Override
        public boolean isSignalled() {
            return signalled;
        }
    }

    private List<String> polledInRun() {
        polled.clear();
        loop.progress(0);
        return polled;
    }

    @Test
    void ofManyLinksThatAnnouncePacketsOnlyTheScheduledOnesArePolled() {
        List<Link> links = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            links.add(new Link("eth" + i));
        }
        assertThat(polledInRun()).isEmpty();
        links.get(150).napi.schedule();
        links.get(3).napi.schedule();
        assertThat(polledInRun()).containsExactly("eth3", "eth150");
        assertThat(polledInRun()).isEmpty();
    }

    @Test
    void aLinkThatIsEnabledAgainAndDoesNotAnnouncePacketsIsPolledInEachRun() {
        Link link = new Link("eth0");
        assertThat(polledInRun()).isEmpty();
        link.napi.disable();
        link.signalled = false;
        link.napi.enable();
        assertThat(polledInRun()).isNotEmpty();
        assertThat(polledInRun()).isNotEmpty();
    }

    @Test
    void aContextMayTakeTheNumberOfARemovedOne() {
        Link first = new Link("eth0");
        Link second = new Link("eth1");
        loop.remove(first.device);
        first.napi.schedule();
        assertThat(polledInRun()).isEmpty();
        new Link("eth2").napi.schedule();
        second.napi.schedule();
        assertThat(polledInRun()).containsExactlyInAnyOrder("eth1", "eth2");
    }

    @Test
    void aContextThatTakesTheNumberOfARemovedOneDuringARunIsPolledInTheNextOne() {
        loop.budget(1);
        Link first = new Link("eth0");
        Link busy = new Link("eth1");
        Link last = new Link("eth2", false);
        loop.remove(first.device);
        busy.packets = 1;
        busy.napi.schedule();
        // The run ends at the busy context, so the next one begins behind it.
        assertThat(polledInRun()).contains("eth1");
        busy.packets = 0;
        last.onPoll = () -> {
            last.onPoll = () -> {};
            new Link("eth3", false);
        };
        loop.progress(0);
        assertThat(polledInRun()).contains("eth3");
    }
}
