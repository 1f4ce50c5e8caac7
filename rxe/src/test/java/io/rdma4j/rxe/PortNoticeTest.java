// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.Port;
import io.rdma4j.verbs.TrapRegistration;
import io.rdma4j.verbs.device.PortCapability;
import io.rdma4j.verbs.device.PortModification;
import io.rdma4j.verbs.device.PortNotice;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Notices of a port to its management: queued for polling, or sent as traps. */
class PortNoticeTest {
    private static final int TIMEOUT = 10;
    private static final long TIMEOUT_NS = 4096L << TIMEOUT;

    private final Bench bench = new Bench(Set.of());
    private final Port port = bench.context.port(1);
    private final List<PortNotice> traps = new ArrayList<>();
    private final TrapRegistration registration = port.onTrap(traps::add);

    @AfterEach
    void close() {
        bench.close();
    }

    private void set(PortCapability... capabilities) {
        port.modify(PortModification.ofCapabilities(Set.of(capabilities), Set.of()));
    }

    private void clear(PortCapability... capabilities) {
        port.modify(PortModification.ofCapabilities(Set.of(), Set.of(capabilities)));
    }

    private PortNotice change() {
        long mask = PortCapability.mask(port.query().capabilities());
        return new PortNotice(PortNotice.Type.CAPABILITY_CHANGE, 1, mask);
    }

    private void arrive(Endpoint to, int pkey) {
        bench.link.arrive(new PlainPacket(Bench.PEER_V4, Bench.LOCAL_V4)
                .qpn(to.qp.qpn())
                .psn(Bench.FIRST_PSN)
                .pkey(pkey)
                .bytes());
        bench.run();
    }

    @Test
    @Covers("PORT-22")
    void aChangeOfCapabilitiesIsNoticedIfThePortSaysSo() {
        set(PortCapability.NOTICE_SUP);
        set(PortCapability.SM);
        assertThat(port.pollNotice()).isNull();
        set(PortCapability.CAP_MASK_NOTICE_SUP);
        assertThat(port.pollNotice()).isEqualTo(change());
        set(PortCapability.CM_SUP);
        assertThat(port.pollNotice()).isEqualTo(change());
        set(PortCapability.CM_SUP);
        port.modify(PortModification.ofInitType(3));
        assertThat(port.pollNotice()).as("nothing has changed").isNull();
        clear(PortCapability.CAP_MASK_NOTICE_SUP);
        set(PortCapability.VENDOR_CLASS_SUP);
        assertThat(port.pollNotice()).isNull();
        assertThat(PortNotice.Type.CAPABILITY_CHANGE.trapNumber()).isEqualTo(144);
        assertThat(traps).isEmpty();
    }

    @Test
    @Covers("PORT-23")
    void trapsGoToWhoeverListens() {
        set(PortCapability.CAP_MASK_NOTICE_SUP, PortCapability.CM_SUP);
        assertThat(traps).isEmpty();
        set(PortCapability.TRAP_SUP);
        assertThat(traps).containsExactly(change());
        registration.close();
        clear(PortCapability.CM_SUP);
        assertThat(traps).hasSize(1);
        assertThat(port.pollNotice()).as("a port without notices").isNull();
    }

    @Test
    @Covers("PORT-16")
    void foreignPartitionsAreToldOnceInASubnetTimeout() {
        port.setInfo(port.info().toBuilder().subnetTimeout(TIMEOUT).build());
        Endpoint to = bench.connected(Bench.PEER_V4, 14);
        arrive(to, 0x8001);
        assertThat(traps).as("nobody wants traps").isEmpty();
        set(PortCapability.TRAP_SUP, PortCapability.NOTICE_SUP);
        arrive(to, 0x8002);
        arrive(to, 0x8003);
        bench.now += TIMEOUT_NS - 1;
        arrive(to, 0x8004);
        bench.now += 1;
        arrive(to, 0x8005);
        arrive(to, 0xFFFF);
        PortNotice first = new PortNotice(PortNotice.Type.BAD_PKEY, 1, 0x8002);
        PortNotice second = new PortNotice(PortNotice.Type.BAD_PKEY, 1, 0x8005);
        assertThat(traps).containsExactly(first, second);
        assertThat(port.pollNotice()).isEqualTo(first);
        assertThat(port.pollNotice()).isEqualTo(second);
        assertThat(port.pollNotice()).isNull();
        assertThat(PortNotice.Type.BAD_PKEY.trapNumber()).isEqualTo(257);
    }

    @Test
    void whoDoesNotFetchNoticesLosesTheOldest() {
        set(PortCapability.NOTICE_SUP, PortCapability.CAP_MASK_NOTICE_SUP);
        port.pollNotice();
        for (int i = 0; i < 20; i++) {
            set(PortCapability.CM_SUP);
            clear(PortCapability.CM_SUP);
        }
        PortNotice last = change();
        int count = 0;
        PortNotice newest = null;
        for (PortNotice notice = port.pollNotice(); notice != null; notice = port.pollNotice()) {
            newest = notice;
            count++;
        }
        assertThat(count).isEqualTo(16);
        assertThat(newest).isEqualTo(last);
    }
}
