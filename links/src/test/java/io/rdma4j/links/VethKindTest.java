// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.device.RegistrationState;
import io.rdma4j.net.ns.LinkRequest;
import io.rdma4j.net.ns.NetHost;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class VethKindTest {
    private final NetHost host = NetHost.create(NanoClock.SYSTEM);
    private final LinkRequest request = LinkRequest.of("veth", host.initial()).withName("left");

    @Test
    void bothEndsComeAndGoTogether() {
        NetDevice left = host.links().create(request.withAttributes(Map.of("peer", "right")));
        NetDevice right = Objects.requireNonNull(host.initial().find("right"));
        assertThat(left.stack().lower()).isSameAs(right);
        assertThat(right.stack().lower()).isSameAs(left);
        left.up();
        right.up();
        assertThat(left.isCarrierOk()).isTrue();

        host.links().delete(right);
        assertThat(host.initial().find("left")).isNull();
        assertThat(left.registration().state()).isEqualTo(RegistrationState.RELEASED);
    }

    @Test
    void anEndWithoutANameGetsOne() {
        NetDevice left = host.links().create(request);
        assertThat(Objects.requireNonNull(left.stack().lower()).name()).isEqualTo("veth0");
    }

    @Test
    void nothingStaysBehindIfOneNameIsTaken() {
        refused(request.withAttributes(Map.of("peer", "lo")));
        refused(request.withAttributes(Map.of("peer", "left")));
        refused(request.withAttributes(Map.of("colour", "red")));
        assertThat(host.initial().devices()).hasSize(1);
    }

    private void refused(LinkRequest bad) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> host.links().create(bad));
    }
}
