// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.Transitions;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.WcFlag;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Datagrams between LIDs: the completion has the source LID and the service level, and no GRH. */
class LidDatagramTest {
    private static final int SERVICE_LEVEL = 5;

    @Test
    void theCompletionNamesTheSourceByLid() {
        EndpointSetup datagrams = EndpointSetup.DEFAULT.type(QpType.UD);
        try (SubnetTarget subnet = SubnetTarget.overSwitch();
                Endpoint from = new Endpoint(subnet, subnet.first(), datagrams);
                Endpoint to = new Endpoint(subnet, subnet.second(), datagrams)) {
            AddressVector path =
                    AddressVector.local(1, subnet.second().queryPort(1).lid(), SERVICE_LEVEL);
            Transitions.connect(from.qp, Set.of(), LinkSetup.DEFAULT, 0, path);
            Transitions.connect(to.qp, Set.of(), LinkSetup.DEFAULT, 0, path);
            to.postReceive(7, 0, 256);
            try (AddressHandle handle = from.pd.createAddressHandle(path)) {
                from.qp
                        .startSend()
                        .wrId(3)
                        .signaled()
                        .send()
                        .destination(handle, to.qp.qpn(), Transitions.QKEY)
                        .sge(from.mr.lkey(), from.mr.address(), 16)
                        .complete();
                WorkCompletion received = to.awaitReceive();

                assertThat(received.byteLength()).isEqualTo(40 + 16);
                assertThat(received.sourceLid())
                        .isEqualTo(subnet.first().queryPort(1).lid());
                assertThat(received.serviceLevel()).isEqualTo(SERVICE_LEVEL);
                assertThat(received.flags()).doesNotContain(WcFlag.GRH);
                from.awaitSend();
            }
        }
    }
}
