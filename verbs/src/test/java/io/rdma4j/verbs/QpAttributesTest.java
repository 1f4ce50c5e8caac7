// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.AlternatePath;
import io.rdma4j.verbs.values.MigrationState;
import io.rdma4j.verbs.values.QpAttribute;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpState;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class QpAttributesTest {
    private static QpAttributes everything() {
        AddressVector vector = AddressVector.roce(1, Gid.ofIpv4(1), 0);
        return QpAttributes.builder()
                .state(QpState.SQD)
                .currentState(QpState.RTS)
                .sqdAsyncNotify(true)
                .accessFlags(Set.of(AccessFlag.REMOTE_READ))
                .pkeyIndex(1)
                .port(2)
                .qkey(3)
                .addressVector(vector)
                .pathMtu(Mtu.MTU_512)
                .timeout(4)
                .retryCount(5)
                .rnrRetry(6)
                .rqPsn(7)
                .maxRdAtomic(8)
                .alternatePath(new AlternatePath(vector, 9, 1, 10))
                .minRnrTimer(11)
                .sqPsn(12)
                .maxDestRdAtomic(13)
                .migrationState(MigrationState.ARMED)
                .capabilities(QpCapabilities.of(14, 15))
                .destinationQpn(16)
                .rateLimit(17)
                .build();
    }

    @Test
    void everySetterAddsItsBitAndItsAccessorAnswersIt() {
        QpAttributes all = everything();

        assertThat(all.mask()).isEqualTo(EnumSet.allOf(QpAttribute.class));
        assertThat(all.state()).isEqualTo(QpState.SQD);
        assertThat(all.currentState()).isEqualTo(QpState.RTS);
        assertThat(all.sqdAsyncNotify()).isTrue();
        assertThat(all.pkeyIndex()).isEqualTo(1);
        assertThat(all.port()).isEqualTo(2);
        assertThat(all.qkey()).isEqualTo(3);
        assertThat(all.pathMtu()).isEqualTo(Mtu.MTU_512);
        assertThat(all.timeout()).isEqualTo(4);
        assertThat(all.retryCount()).isEqualTo(5);
        assertThat(all.rnrRetry()).isEqualTo(6);
        assertThat(all.rqPsn()).isEqualTo(7);
        assertThat(all.maxRdAtomic()).isEqualTo(8);
        assertThat(all.minRnrTimer()).isEqualTo(11);
        assertThat(all.sqPsn()).isEqualTo(12);
        assertThat(all.maxDestRdAtomic()).isEqualTo(13);
        assertThat(all.migrationState()).isEqualTo(MigrationState.ARMED);
        assertThat(all.capabilities().maxReceiveWr()).isEqualTo(15);
        assertThat(all.destinationQpn()).isEqualTo(16);
        assertThat(all.rateLimit()).isEqualTo(17);
        assertThat(all.sqDraining()).isFalse();
    }

    @Test
    void whatIsNotSetIsNotInTheMaskAndAnswersZero() {
        QpAttributes none = QpAttributes.builder().build();

        assertThat(none.mask()).isEmpty();
        assertThat(none.timeout()).isZero();
        assertThat(none.accessFlags()).isEmpty();
        assertThat(none.addressVector()).isNull();
        assertThat(none.alternatePath()).isNull();
    }

    @Test
    void changesOverrideOnlyWhatTheySet() {
        QpAttributes changed =
                everything().with(QpAttributes.builder().timeout(20).build());

        assertThat(changed.timeout()).isEqualTo(20);
        assertThat(changed.retryCount()).isEqualTo(5);
        assertThat(changed.toBuilder().timeout(4).build()).isEqualTo(everything());
    }
}
