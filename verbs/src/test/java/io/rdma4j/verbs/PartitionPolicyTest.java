// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.verbs.values.AlternatePath;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import org.junit.jupiter.api.Test;

class PartitionPolicyTest {
    private final Fixture fixture = new Fixture();
    private final CompletionQueue cq = fixture.context.createCq(4);
    private final int first = fixture.context.queryPkey(1, 0);
    private final int second = fixture.context.queryPkey(1, 1);

    @Test
    void aProgramThatMayBeInNoPartitionGetsNoQueuePair() {
        fixture.host.partitionPolicy((device, port, pkey) -> false);
        assertRefused(Errno.EACCES, "all partitions of loop0", () -> fixture.qp(cq));

        fixture.host.partitionPolicy(
                (device, port, pkey) -> device == fixture.context.device() && port == 1 && pkey == second);
        assertThat(fixture.qp(cq).state()).isEqualTo(QpState.RESET);
    }

    @Test
    void aQueuePairEntersOnlyThePartitionsThatItsProgramMayBeIn() {
        assertThat(first).isNotEqualTo(second);
        fixture.host.partitionPolicy((device, port, pkey) -> pkey == second);
        QueuePair qp = fixture.qp(cq);
        assertRefused(
                Errno.EACCES,
                String.format("denies partition 0x%04x at port 1", first),
                () -> qp.modify(Fixture.toInit().pkeyIndex(0).build()));
        assertThat(qp.state()).isEqualTo(QpState.RESET);
        qp.modify(Fixture.toInit().pkeyIndex(1).build());

        QpAttributes intoTheOther = Fixture.toRtr(1)
                .alternatePath(new AlternatePath(fixture.path(), 0, 1, 14))
                .build();
        assertRefused(Errno.EACCES, "denies partition", () -> qp.modify(intoTheOther));

        fixture.host.partitionPolicy(PartitionPolicy.OPEN);
        qp.modify(intoTheOther);
    }
}
