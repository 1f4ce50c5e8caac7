// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.verbs.values.QpType;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A client and a server, and one connection between them. */
final class CmPair {
    static final long SERVICE = 0x0106_1D2FL;
    static final int CLIENT_QPN = 0x19;
    static final int SERVER_QPN = 0x1B;
    static final int CLIENT_PSN = 0x6F_EAFE;
    static final int SERVER_PSN = 0x10_BB5C;

    final CmNetwork network = new CmNetwork();
    final CmNetwork.Node client = network.node(0x5054_00FF_FE77_0002L, "10.77.0.3");
    final CmNetwork.Node server = network.node(0x5054_00FF_FE77_0001L, "10.77.0.2");
    CmId active = client.id();

    @Nullable
    CmId passive;

    ReqParameters.Builder request() {
        return ReqParameters.builder(client.pathTo(server), SERVICE).queuePair(QpType.RC, CLIENT_QPN, CLIENT_PSN);
    }

    RepParameters reply(CmNetwork.Got request) {
        return RepParameters.to((CmEvent.ReqReceived) request.event(), SERVER_QPN, SERVER_PSN);
    }

    CmId passive() {
        assertThat(passive).isNotNull();
        return Objects.requireNonNull(passive);
    }

    /** The client has sent its REQ, and the server has received it. */
    CmPair requested() {
        server.listen(SERVICE);
        active.sendReq(request().build());
        network.settle();
        passive = server.lastId();
        return this;
    }

    /** The server has sent its REP, which is on its way. */
    CmPair replied() {
        requested();
        passive().sendRep(reply(server.events.getLast()));
        return this;
    }

    /** The client has received the REP. */
    CmPair confirmable() {
        replied();
        network.settle();
        return this;
    }

    /** Both ends are connected. */
    CmPair established() {
        confirmable();
        active.sendRtu(MemorySegment.NULL);
        network.settle();
        assertThat(active.state()).isEqualTo(CmState.ESTABLISHED);
        assertThat(passive().state()).isEqualTo(CmState.ESTABLISHED);
        return this;
    }

    /** Both ends are disconnected, and time-wait is over. */
    CmPair disconnected() {
        established();
        active.sendDreq(MemorySegment.NULL);
        network.settle();
        passive().sendDrep(MemorySegment.NULL);
        network.runToTheEnd();
        return this;
    }

    static MemorySegment bytes(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i + 1);
        }
        return MemorySegment.ofArray(bytes);
    }
}
