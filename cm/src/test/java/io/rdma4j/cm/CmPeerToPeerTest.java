// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import static io.rdma4j.cm.CmNetwork.NONE;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.mad.CmMessage;
import org.junit.jupiter.api.Test;

/** Both ends send a REQ for the same service, and neither listens. */
class CmPeerToPeerTest {
    private final CmNetwork network = new CmNetwork();
    private final CmNetwork.Node greater = network.node(9, "10.77.0.9");
    private final CmNetwork.Node less = network.node(2, "10.77.0.2");
    private final CmId ofGreater = greater.id();
    private final CmId ofLess = less.id();

    private static void request(CmNetwork.Node from, CmId id, CmNetwork.Node to, int qpn) {
        id.sendReq(ReqParameters.builder(from.pathTo(to), CmPair.SERVICE)
                .queuePair(QpType.RC, qpn, qpn + 1)
                .peerToPeer()
                .build());
    }

    private void assertConnected() {
        assertThat(ofLess.state()).isEqualTo(CmState.REQ_RCVD);
        CmEvent.ReqReceived event = less.last(CmEvent.ReqReceived.class);
        assertThat(less.lastId()).isSameAs(ofLess);
        assertThat(ofLess.listenId()).isNull();
        ofLess.sendRep(RepParameters.to(event, 20, 21));
        network.settle();
        ofGreater.sendRtu(NONE);
        network.settle();
        assertThat(ofGreater.state()).isEqualTo(CmState.ESTABLISHED);
        assertThat(ofLess.state()).isEqualTo(CmState.ESTABLISHED);
        assertThat(ofGreater.remoteId()).isEqualTo(ofLess.localId());
    }

    @Test
    void theGreaterGuidStaysActive() {
        request(greater, ofGreater, less, 10);
        request(less, ofLess, greater, 20);
        network.settle();
        assertConnected();
    }

    @Test
    void theFirstRequestIsRepeatedUntilThePeerHasSentItsOwn() {
        request(greater, ofGreater, less, 10);
        network.runUntil(1000);
        assertThat(ofGreater.state()).isEqualTo(CmState.REQ_SENT);
        request(less, ofLess, greater, 20);
        network.runUntil(6144);
        assertConnected();
        assertThat(network.count(CmMessage.REJ)).isOne();
    }

    @Test
    void thePassiveSideMayAskFirst() {
        request(less, ofLess, greater, 20);
        network.runUntil(1000);
        request(greater, ofGreater, less, 10);
        network.settle();
        assertConnected();
    }

    @Test
    void equalGuidsAreDecidedByTheQueuePairs() {
        CmNetwork.Node twin = network.node(9, "10.77.0.19", CmOptions.of(5));
        CmId id = twin.id();
        request(greater, ofGreater, twin, 10);
        request(twin, id, greater, 11);
        network.settle();
        assertThat(id.state()).isEqualTo(CmState.REQ_SENT);
        assertThat(ofGreater.state()).isEqualTo(CmState.REQ_RCVD);
    }

    @Test
    void anIdThatWaitsForAnotherPeerIsNotMeant() {
        CmNetwork.Node third = network.node(1, "10.77.0.1");
        CmId id = third.id();
        request(greater, ofGreater, less, 10);
        request(third, id, greater, 30);
        network.settle();
        assertThat(ofGreater.state()).isEqualTo(CmState.REQ_SENT);
        assertThat(greater.events).isEmpty();
    }

    @Test
    void aPeerThatNeverAsksIsATimeout() {
        request(greater, ofGreater, less, 10);
        network.runToTheEnd();
        assertThat(greater.last(CmEvent.NoResponse.class).message()).isEqualTo(CmMessage.REQ);
    }
}
