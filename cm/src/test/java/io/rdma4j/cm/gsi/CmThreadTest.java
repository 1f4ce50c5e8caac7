// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm.gsi;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.cm.CmEvent;
import io.rdma4j.cm.CmId;
import io.rdma4j.cm.CmState;
import io.rdma4j.cm.RepParameters;
import io.rdma4j.cm.ReqParameters;
import io.rdma4j.verbs.values.QpType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Many connections in real time, with daemon threads that drive the ports. */
class CmThreadTest {
    private static final long SERVICE = 0x0106_1D2FL;
    private static final int CONNECTIONS = 200;
    private static final MemorySegment NONE = MemorySegment.NULL;

    @Test
    void manyConnectionsComeAndGo() {
        try (CmHosts hosts = new CmHosts(false)) {
            CmHosts.Side server = hosts.server;
            int[] qpn = {1000};
            server.services.run(cm -> cm.createId((id, event) -> {
                        switch (event) {
                            case CmEvent.ReqReceived request -> id.sendRep(RepParameters.to(request, qpn[0]++, 1));
                            case CmEvent.DreqReceived _ -> id.sendDrep(NONE);
                            default -> {}
                        }
                    })
                    .listen(SERVICE, -1, CONNECTIONS));
            List<CmId> ids = new ArrayList<>();
            CmHosts.Side client = hosts.client;
            for (int i = 0; i < CONNECTIONS; i++) {
                int number = 100 + i;
                ids.add(client.services.call(cm -> {
                    CmId id = cm.createId((self, event) -> {
                        if (event instanceof CmEvent.RepReceived) {
                            self.sendRtu(NONE);
                            self.sendDreq(NONE);
                        }
                    });
                    id.sendReq(ReqParameters.builder(client.pathTo(server, 0), SERVICE)
                            .queuePair(QpType.RC, number, 1)
                            .build());
                    return id;
                }));
            }
            hosts.await(
                    "all disconnected",
                    () -> client.services.call(_ ->
                            ids.stream().allMatch(id -> id.state() == CmState.TIMEWAIT || id.state() == CmState.IDLE)));
            assertThat(client.services.unsent() + server.services.unsent()).isZero();
        }
    }

    @Test
    void aManagerThatClosesDisconnects() {
        try (CmHosts hosts = new CmHosts(false)) {
            CmHosts.Side server = hosts.server;
            CmHosts.Side client = hosts.client;
            CmId listener = server.id();
            server.services.run(_ -> listener.listen(SERVICE, -1, 1));
            CmId active = client.id();
            client.services.run(_ -> active.sendReq(ReqParameters.builder(client.pathTo(server, 0), SERVICE)
                    .queuePair(QpType.RC, 5, 1)
                    .build()));
            CmEvent.ReqReceived request = server.await(CmEvent.ReqReceived.class);
            CmId passive = server.idOf(CmEvent.ReqReceived.class);
            server.services.run(_ -> passive.sendRep(RepParameters.to(request, 6, 1)));
            client.await(CmEvent.RepReceived.class);
            client.services.run(_ -> active.sendRtu(NONE));
            server.await(CmEvent.RtuReceived.class);

            client.services.close();
            server.await(CmEvent.DreqReceived.class);
        }
    }
}
