// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.device.PortCapability;
import io.rdma4j.verbs.device.PortModification;
import io.rdma4j.verbs.device.PortState;
import io.rdma4j.verbs.values.EventType;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a port asks for by InitType when its link comes back, and what the manager answers, in virtual time. */
class InitTypeTest {
    private static final long SECOND_NS = 1_000_000_000;
    private static final int NO_LOAD = 1;
    private static final int PRESERVE_CONTENT = 2;
    private static final int PRESERVE_PRESENCE = 4;
    private static final int DO_NOT_RESUSCITATE = 8;

    private final VirtualFabric tree = new VirtualFabric(2, 1, 2, null);
    private final IbManager manager = tree.manage(tree.hosts.getFirst(), SubnetOptions.DEFAULT);
    private final Host host = tree.open(3);
    private final Context context = host.open("ib3");
    private final List<EventType> events = new ArrayList<>();

    {
        context.registerEventHandler(event -> events.add(event.type()));
        tree.runUntilUp(manager);
        events.clear();
    }

    @AfterEach
    void close() {
        context.close();
        host.close();
        manager.close();
        tree.close();
    }

    private void ask(int type) {
        context.port(1).modify(PortModification.ofInitType(type));
    }

    private int reply() {
        return context.queryPort(1).initTypeReply();
    }

    private PortState state() {
        return context.queryPort(1).state();
    }

    /** The link is lost and comes back before the manager looks. */
    private void bounce() {
        tree.fabric.exclusively(() -> {
            tree.link("ib3").unplug();
            tree.link("ib3").plug();
        });
        tree.run(SECOND_NS);
    }

    private void away() {
        tree.fabric.exclusively(() -> tree.link("ib3").unplug());
        tree.run(SECOND_NS);
        tree.fabric.exclusively(() -> tree.link("ib3").plug());
        tree.run(SECOND_NS);
    }

    @Test
    @Covers({"PORT-36", "SM-5", "PORT-17"})
    void theManagerGrantsWhatItHasPreserved() {
        assertThat(context.queryPort(1).capabilities()).contains(PortCapability.REINIT_SUP);
        ask(NO_LOAD | PRESERVE_CONTENT | PRESERVE_PRESENCE);
        bounce();

        assertThat(state()).isEqualTo(PortState.ACTIVE);
        assertThat(reply()).isEqualTo(NO_LOAD | PRESERVE_CONTENT | PRESERVE_PRESENCE);
        assertThat(events)
                .contains(EventType.PORT_ERR, EventType.PORT_ACTIVE)
                .doesNotContain(EventType.CLIENT_REREGISTER);
    }

    /** The manager has missed the port in a sweep, so the registrations are gone. */
    @Test
    @Covers({"SM-5", "SA-11"})
    void registrationsOfAPortThatWasAwayAreNotPreserved() {
        ask(PRESERVE_CONTENT | PRESERVE_PRESENCE);
        away();

        assertThat(state()).isEqualTo(PortState.ACTIVE);
        assertThat(reply()).isEqualTo(PRESERVE_CONTENT);
        assertThat(events).contains(EventType.CLIENT_REREGISTER);
    }

    @Test
    @Covers("SM-5")
    void aPortThatAsksForNothingIsInitialized() {
        bounce();
        assertThat(state()).isEqualTo(PortState.ACTIVE);
        assertThat(reply()).isZero();
        assertThat(events).contains(EventType.CLIENT_REREGISTER);
    }

    @Test
    @Covers("SM-5")
    void aPortMayStayDown() {
        ask(DO_NOT_RESUSCITATE);
        bounce();
        assertThat(state()).isEqualTo(PortState.INIT);
        assertThat(manager.isUp()).isTrue();

        ask(0);
        manager.sweep();
        tree.run(SECOND_NS);
        assertThat(state()).isEqualTo(PortState.ACTIVE);
    }
}
