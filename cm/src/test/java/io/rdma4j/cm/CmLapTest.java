// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import static io.rdma4j.cm.CmNetwork.NONE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.MigrationState;
import io.rdma4j.verbs.values.QpAttribute;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.wire.mad.AlternatePathStatus;
import io.rdma4j.wire.mad.CmLap;
import io.rdma4j.wire.mad.CmMessage;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Alternate paths: in the request, loaded later, and migration to them. */
class CmLapTest {
    private final CmPair pair = new CmPair();
    private final CmNetwork network = pair.network;
    private CmPath alternate = pair.client.pathTo(pair.server);

    @BeforeEach
    void secondPath() {
        pair.client.addGid("10.78.0.3");
        pair.server.addGid("10.78.0.2");
        pair.client.addGid("10.79.0.3");
        pair.server.addGid("10.79.0.2");
        alternate = pair.client.pathTo(pair.server, 1, 1);
    }

    private static Gid alternateDestination(QpAttributes attributes) {
        return Objects.requireNonNull(Objects.requireNonNull(attributes.alternatePath())
                        .addressVector()
                        .route())
                .destination();
    }

    @Test
    void aRequestMayOfferAnAlternatePath() {
        pair.server.listen(CmPair.SERVICE);
        pair.active.sendReq(pair.request().alternatePath(alternate).build());
        network.settle();
        CmId passive = pair.server.lastId();
        passive.sendRep(pair.reply(pair.server.events.getLast()));
        network.settle();

        assertThat(alternateDestination(passive.initQpAttributes(QpState.RTR))).isEqualTo(Gid.parse("10.78.0.3"));
        assertThat(alternateDestination(pair.active.initQpAttributes(QpState.RTR)))
                .isEqualTo(Gid.parse("10.78.0.2"));
        assertThat(passive.initQpAttributes(QpState.RTS).migrationState()).isEqualTo(MigrationState.REARM);
    }

    @Test
    void aReplyMayRefuseTheAlternatePath() {
        pair.server.listen(CmPair.SERVICE);
        pair.active.sendReq(pair.request().alternatePath(alternate).build());
        network.settle();
        CmId passive = pair.server.lastId();
        passive.sendRep(new RepParameters(1, 1, 1, 1, 1, false, 7, false, Ece.NONE, NONE));
        network.settle();
        assertThat(pair.active.initQpAttributes(QpState.RTR).has(QpAttribute.ALT_PATH))
                .isFalse();
        assertThat(passive.initQpAttributes(QpState.RTR).has(QpAttribute.ALT_PATH))
                .isFalse();
    }

    @Test
    void aLoadedPathIsInTheAttributesOfBothEnds() {
        pair.established();
        pair.active.sendLap(alternate, CmPair.bytes(168));
        network.settle();
        CmEvent.LapReceived lap = pair.server.last(CmEvent.LapReceived.class);
        assertThat(lap.alternatePath().destinationGid()).isEqualTo(Gid.parse("10.78.0.3"));
        assertThat(lap.alternatePath().sourceGid()).isEqualTo(Gid.parse("10.78.0.2"));
        assertThat(lap.privateData().mismatch(CmPair.bytes(168))).isEqualTo(-1);
        pair.passive().sendApr(AlternatePathStatus.SUCCESS, NONE, CmPair.bytes(148));
        network.settle();

        assertThat(pair.client.last(CmEvent.AprReceived.class).status()).isEqualTo(AlternatePathStatus.SUCCESS);
        assertThat(pair.client.last(CmEvent.AprReceived.class).privateData().mismatch(CmPair.bytes(148)))
                .isEqualTo(-1);
        QpAttributes active = pair.active.initQpAttributes(QpState.RTS);
        assertThat(active.mask())
                .isEqualTo(Set.of(QpAttribute.STATE, QpAttribute.ALT_PATH, QpAttribute.PATH_MIG_STATE));
        assertThat(alternateDestination(active)).isEqualTo(Gid.parse("10.78.0.2"));
        assertThat(alternateDestination(pair.passive().initQpAttributes(QpState.RTS)))
                .isEqualTo(Gid.parse("10.78.0.3"));
    }

    @Test
    void theProgramMayRejectAPath() {
        pair.established();
        pair.active.sendLap(alternate, NONE);
        network.settle();
        pair.passive().sendApr(AlternatePathStatus.INVALID_HOP_LIMIT, CmPair.bytes(1), NONE);
        network.settle();
        assertThat(pair.client.last(CmEvent.AprReceived.class).status())
                .isEqualTo(AlternatePathStatus.INVALID_HOP_LIMIT);
        assertThat(pair.client.last(CmEvent.AprReceived.class).info().byteSize())
                .isOne();
        assertThat(pair.active.initQpAttributes(QpState.RTS).mask()).isEqualTo(Set.of(QpAttribute.STATE));
    }

    @Test
    void aLostAnswerIsRepeatedInsteadOfAskingTheProgramAgain() {
        pair.established();
        pair.active.sendLap(alternate, NONE);
        network.settle();
        network.isLost = flight -> flight.is(CmMessage.APR);
        pair.passive().sendApr(AlternatePathStatus.SUCCESS, NONE, NONE);
        network.isLost = _ -> false;
        network.runUntil(6144);
        assertThat(pair.client.last(CmEvent.AprReceived.class).status()).isEqualTo(AlternatePathStatus.SUCCESS);
        assertThat(pair.server.count(CmEvent.LapReceived.class)).isOne();
        assertThat(pair.server.counters().duplicates(CmMessage.LAP)).isOne();
    }

    @Test
    void anMraGivesThePeerMoreTime() {
        pair.established();
        pair.active.sendLap(alternate, NONE);
        network.settle();
        pair.passive().sendMra(22, false, NONE);
        network.settle();
        assertThat(pair.client.last(CmEvent.MraReceived.class).message()).isEqualTo(CmMessage.LAP);
        network.runUntil(16_384 + 2048 - 1);
        assertThat(network.count(CmMessage.LAP)).isOne();
        network.runUntil(16_384 + 2048);
        assertThat(network.count(CmMessage.LAP)).isEqualTo(2);
        assertThat(network.count(CmMessage.MRA)).isEqualTo(2);
    }

    @Test
    void aLapWithoutAnswerEnds() {
        pair.established();
        network.isLost = flight -> flight.is(CmMessage.LAP);
        pair.active.sendLap(alternate, NONE);
        network.runToTheEnd();
        assertThat(network.nowMs()).isEqualTo(98_304);
        assertThat(pair.client.last(CmEvent.NoResponse.class).message()).isEqualTo(CmMessage.LAP);
        assertThat(pair.active.state()).isEqualTo(CmState.ESTABLISHED);
        assertThat(pair.active.lapState()).isEqualTo(LapState.LAP_IDLE);
    }

    @Test
    void thePresentPathAndStrangePathsAreRefusedByThemselves() {
        pair.established();
        pair.active.sendLap(pair.client.pathTo(pair.server), NONE);
        network.settle();
        assertThat(pair.client.last(CmEvent.AprReceived.class).status()).isEqualTo(AlternatePathStatus.IS_CURRENT);

        pair.active.sendLap(alternate, NONE);
        CmNetwork.Flight lap = network.flights.removeFirst();
        CmLap.REMOTE_QPN.put(lap.segment(), CmMessage.BODY, 0x99);
        network.deliver(lap);
        network.settle();
        assertThat(pair.client.last(CmEvent.AprReceived.class).status()).isEqualTo(AlternatePathStatus.INVALID_QPN);

        pair.active.sendLap(alternate, NONE);
        lap = network.flights.removeFirst();
        CmLap.ALTERNATE_REMOTE_PORT_GID.put(lap.segment(), CmMessage.BODY, Gid.parse("10.99.0.1"));
        network.deliver(lap);
        network.settle();
        assertThat(pair.client.last(CmEvent.AprReceived.class).status()).isEqualTo(AlternatePathStatus.INVALID_GID);
        assertThat(pair.server.count(CmEvent.LapReceived.class)).isZero();
    }

    @Test
    void afterAMigrationMessagesTakeTheNewPath() {
        pair.established();
        pair.active.sendLap(alternate, NONE);
        network.settle();
        pair.passive().sendApr(AlternatePathStatus.SUCCESS, NONE, NONE);
        network.settle();
        pair.client.cm.pathMigrated(CmPair.CLIENT_QPN);
        pair.active.sendDreq(NONE);
        assertThat(network.flights.getFirst().source().gid()).isEqualTo(Gid.parse("10.78.0.3"));
        network.settle();
        assertThat(pair.passive().state()).isEqualTo(CmState.DREQ_RCVD);
    }

    @Test
    void aMigrationFreesThePlaceForAnotherPath() {
        pair.established();
        pair.active.sendLap(alternate, NONE);
        network.settle();
        pair.passive().sendApr(AlternatePathStatus.SUCCESS, NONE, NONE);
        network.settle();
        pair.active.pathMigrated();
        pair.passive().pathMigrated();
        assertThatExceptionOfType(RdmaException.class).isThrownBy(pair.active::pathMigrated);
        pair.active.sendLap(pair.client.pathTo(pair.server, 2, 2), NONE);
        network.settle();
        assertThat(pair.server.last(CmEvent.LapReceived.class).alternatePath().destinationGid())
                .isEqualTo(Gid.parse("10.79.0.3"));
    }

    @Test
    void aMigrationWithoutAlternatePathMeansNothing() {
        pair.established();
        pair.client.cm.pathMigrated(CmPair.CLIENT_QPN);
        pair.client.cm.pathMigrated(0x12_3456);
        assertThat(pair.active.lapState()).isEqualTo(LapState.LAP_UNINIT);
    }

    @Test
    void aDisconnectionCancelsTheLap() {
        pair.established();
        network.isLost = flight -> flight.is(CmMessage.LAP);
        pair.active.sendLap(alternate, NONE);
        pair.active.sendDreq(NONE);
        network.settle();
        pair.passive().sendDrep(NONE);
        network.runToTheEnd();
        assertThat(network.count(CmMessage.LAP)).isOne();
        assertThat(pair.active.state()).isEqualTo(CmState.IDLE);
    }

    @Test
    void bothEndsMayAskAtOnceAndOneOfThemAgain() {
        pair.established();
        pair.active.sendLap(alternate, NONE);
        pair.passive().sendLap(pair.server.pathTo(pair.client, 2, 2), NONE);
        network.settle();
        assertThat(pair.active.lapState()).isEqualTo(LapState.LAP_SENT);
        assertThat(pair.passive().lapState()).isEqualTo(LapState.LAP_SENT);
        network.runToTheEnd();
        assertThat(pair.client.count(CmEvent.NoResponse.class) + pair.server.count(CmEvent.NoResponse.class))
                .isPositive();
        assertThat(pair.active.state()).isEqualTo(CmState.ESTABLISHED);
        assertThat(pair.passive().state()).isEqualTo(CmState.ESTABLISHED);
    }
}
