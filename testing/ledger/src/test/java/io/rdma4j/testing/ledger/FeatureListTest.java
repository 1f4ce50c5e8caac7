// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class FeatureListTest {
    private static final String HEADER = "id,prefix,title,what\n";
    private static final String NONE = "id,reason\n";
    private static final String NO_GROUNDS = "rows,ground,reason\n";

    @Test
    void theCommittedListIsWholeAndItsDroppedRowsExist() {
        FeatureList list = FeatureList.committed();

        assertThat(list.rows()).hasSize(1463);
        assertThat(list.prefixes()).hasSize(31).startsWith("GEN", "SKB").endsWith("PERF", "DROPIN");
        assertThat(list.rows()).allSatisfy(row -> assertThat(row.what()).isNotBlank());
        assertThat(list.notApplicable())
                .isNotEmpty()
                .allSatisfy((id, _) -> assertThat(list.contains(id)).isTrue());
    }

    @Test
    void anIdThatOccursTwiceIsRefused() {
        assertThatThrownBy(() -> new FeatureList(HEADER + "QP-1,QP,a,b\nQP-1,QP,c,d\n", NONE, NO_GROUNDS))
                .hasMessageContaining("QP-1 occurs twice");
    }

    @Test
    void anIdWithAnotherPrefixIsRefused() {
        assertThatThrownBy(() -> new FeatureList(HEADER + "QP-1,CQ,a,b\n", NONE, NO_GROUNDS))
                .hasMessageContaining("CQ");
    }

    @Test
    void aRowIsDroppedOnlyIfItExistsAndWithAReason() {
        String rows = HEADER + "QP-1,QP,a,b\n";
        assertThatThrownBy(() -> new FeatureList(rows, NONE + "QP-2,why\n", NO_GROUNDS))
                .hasMessageContaining("QP-2");
        assertThatThrownBy(() -> new FeatureList(rows, NONE + "QP-1,\n", NO_GROUNDS))
                .hasMessageContaining("QP-1");
        assertThat(new FeatureList(rows, NONE + "QP-1,why\n", NO_GROUNDS).notApplicable())
                .containsEntry("QP-1", "why");
    }
}
