// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.RdmaException;
import io.rdma4j.sm.SubnetPartition.Membership;
import io.rdma4j.testing.ledger.Covers;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Partition files of OpenSM. */
class PartitionParserTest {
    private static final long SELF = 0x1001;

    private static List<SubnetPartition> parse(String text) {
        return PartitionParser.parse("p.conf", text, SELF);
    }

    @Test
    @Covers("SM-9")
    void withoutRulesAllAreLimitedMembersOfTheDefaultPartition() {
        assertThat(parse("# nothing\n"))
                .containsExactly(new SubnetPartition(
                        SubnetPartition.DEFAULT, Membership.LIMITED, Map.of(SELF, Membership.FULL)));
    }

    @Test
    @Covers("SM-9")
    void rulesOfAPartitionAddUp() {
        List<SubnetPartition> partitions = parse("""
            Default=0x7fff, ipoib, mtu=5, rate=7 : ALL=full ;  # everyone
            Storage = 0x8012 , defmember=full, ipoib : 0x2001, 0x3001=limited,
                12289=full ;
            Storage : SELF ;
            Switches : ALL_SWITCHES=full, ALL_CAS ;
            """);
        assertThat(partitions).hasSize(3);
        SubnetPartition everyone = partitions.getFirst();
        assertThat(everyone.adapters()).isEqualTo(Membership.FULL);
        assertThat(everyone.broadcast()).isEqualTo(new BroadcastGroup(5, 7, 0, 2, 0x0B1B, 0, 0));
        assertThat(partitions.get(1))
                .isEqualTo(new SubnetPartition(
                                0x12,
                                Membership.NONE,
                                Map.of(0x2001L, Membership.FULL, 0x3001L, Membership.FULL, SELF, Membership.LIMITED))
                        .broadcast(BroadcastGroup.DEFAULT));
        assertThat(partitions.get(2))
                .isEqualTo(new SubnetPartition(1, Membership.LIMITED, Membership.FULL, Map.of(), null));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        A=0x1 : ALL                   | p.conf:1: the last rule has no ';'
        A=0x1 ;                       | p.conf:1: a rule without ':', behind which its ports are
        A=0x8000 : ALL ;              | p.conf:1: P_Key 0x8000: the low 15 bits are 0
        A=x : ALL ;                   | p.conf:1: 'A=x' has no number behind '='
        A=0x18001 : ALL ;             | p.conf:1: P_Key 0x18001 has more than 16 bits
        A=-1 : ALL ;                  | p.conf:1: 'A=-1': the number is not in 0..4294967295
        A=0x1, mtu=4294967298 : ALL ; | p.conf:1: 'mtu=4294967298': the number is not in 0..4294967295
        A=0x1, mtu=2147483652 : ALL ; | p.conf:1: 'mtu=2147483652' does not fit its field
        : ALL ;                       | p.conf:1: a rule begins with the name of a partition
        A=0x1 : ALL ; A=0x2 : ALL ;   | p.conf:1: partition A has the P_Key 0x1 already
        A=0x1, fast : ALL ;           | p.conf:1: 'fast' is no flag; there is indx0, ipoib
        A=0x1, mtu=6 : ALL ;          | p.conf:1: 'mtu=6' does not fit its field
        A=0x1, indx0 : ALL ;          | p.conf:1: indx0: index 0 has the default partition
        A=0x1 : ALL=both ;            | p.conf:1: 'ALL=both': a membership is full or limited
        A=0x1 : everyone ;            | p.conf:1: 'everyone' is no GUID of a port
        A=0x1 : 0x1,,0x2 ;            | p.conf:1: a port is missing between two commas
        A=0x1 : ALL B=0x2 : ALL ;     | p.conf:1: a second ':'; is the ';' of the rule before missing?
        """)
    @Covers("SM-9")
    void errorsHaveLineAndReason(String text, String message) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> parse(text))
                .withMessageContaining(message);
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> parse("\n# comment : ;\n" + text))
                .withMessageContaining(message.replace(":1:", ":3:"));
    }
}
