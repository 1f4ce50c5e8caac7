// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.state.QpStateTable;
import io.rdma4j.verbs.values.QpAttribute;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class QpStateTableTest {
    private static final Set<QpState> KNOWS_CUR_STATE = EnumSet.of(QpState.RTR, QpState.RTS, QpState.SQD, QpState.SQE);

    /** One cell of the matrix. */
    private record Cell(QpType type, QpState from, QpState to) {
        QpStateTable.@Nullable Rule rule() {
            return QpStateTable.rule(type, from, to);
        }
    }

    private static List<Cell> cells(QpType type) {
        List<Cell> cells = new ArrayList<>();
        for (QpState from : QpState.values()) {
            for (QpState to : QpState.values()) {
                cells.add(new Cell(type, from, to));
            }
        }
        return cells;
    }

    /** The cells of the matrix with a transition. */
    private static List<Cell> arrows(QpType type) {
        return cells(type).stream().filter(cell -> cell.rule() != null).toList();
    }

    /**
     * The golden file was written from the rules, not dumped from the table; a change of the table must change it, too.
     */
    @Test
    @Covers({"QP-30", "QP-33", "QP-35", "QP-36", "QP-37"})
    void theWholeMatrixIsAsInTheGoldenFile() throws IOException {
        try (InputStream golden = Objects.requireNonNull(getClass().getResourceAsStream("/qp-state-table.txt"))) {
            assertThat(dump()).isEqualTo(new String(golden.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    private static String dump() {
        StringBuilder text = new StringBuilder();
        for (QpType type : QpType.values()) {
            for (Cell cell : cells(type)) {
                QpStateTable.Rule rule = cell.rule();
                text.append(String.format("%-10s %5s -> %-5s", cell.type, cell.from, cell.to))
                        .append(rule == null ? " no" : " yes")
                        .append(rule == null ? "" : list(" required", rule.required()))
                        .append(rule == null ? "" : list(" optional", rule.optional()))
                        .append('\n');
            }
        }
        return text.toString();
    }

    private static String list(String name, Set<QpAttribute> attributes) {
        return attributes.isEmpty()
                ? ""
                : name + " " + attributes.stream().map(Enum::name).collect(Collectors.joining("|"));
    }

    @ParameterizedTest
    @EnumSource(QpType.class)
    void exactlyTheRequiredAttributesPass(QpType type) {
        for (Cell cell : cells(type)) {
            QpStateTable.Rule rule = cell.rule();
            if (rule == null) {
                assertRefused(cell, EnumSet.of(QpAttribute.STATE), "is no transition");
            } else {
                assertPasses(cell, with(rule.required(), QpAttribute.STATE));
                assertPasses(cell, rule.required());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(QpType.class)
    void aMissingRequiredAttributeIsNamed(QpType type) {
        for (Cell cell : arrows(type)) {
            QpStateTable.Rule rule = Objects.requireNonNull(cell.rule());
            for (QpAttribute attribute : rule.required()) {
                Set<QpAttribute> mask = with(rule.required(), QpAttribute.STATE);
                mask.remove(attribute);
                assertRefused(cell, mask, "missing [" + attribute + "]");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(QpType.class)
    void everyOptionalAttributePassesAndAllTogether(QpType type) {
        for (Cell cell : arrows(type)) {
            QpStateTable.Rule rule = Objects.requireNonNull(cell.rule());
            Set<QpAttribute> all = with(rule.required(), QpAttribute.STATE);
            for (QpAttribute attribute : rule.optional()) {
                assertPasses(cell, with(with(rule.required(), QpAttribute.STATE), attribute));
                all.add(attribute);
            }
            assertPasses(cell, all);
        }
    }

    @ParameterizedTest
    @EnumSource(QpType.class)
    void everyOtherAttributeIsRefusedAndNamed(QpType type) {
        for (Cell cell : arrows(type)) {
            QpStateTable.Rule rule = Objects.requireNonNull(cell.rule());
            Set<QpAttribute> others = EnumSet.allOf(QpAttribute.class);
            others.removeAll(rule.required());
            others.removeAll(rule.optional());
            others.remove(QpAttribute.STATE);
            for (QpAttribute attribute : others) {
                String message = attribute == QpAttribute.CUR_STATE && !KNOWS_CUR_STATE.contains(cell.from)
                        ? "CUR_STATE may be given only in"
                        : "not allowed here [" + attribute + "]";
                assertRefused(cell, with(with(rule.required(), QpAttribute.STATE), attribute), message);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(QpType.class)
    @Covers("QP-32")
    void everyStateButResetCanGoToErrorAndEveryStateToReset(QpType type) {
        for (QpState from : QpState.values()) {
            assertThat(QpStateTable.rule(type, from, QpState.RESET)).isNotNull();
            assertThat(QpStateTable.rule(type, from, QpState.ERR) != null).isEqualTo(from != QpState.RESET);
        }
    }

    private static Set<QpAttribute> with(Set<QpAttribute> attributes, QpAttribute more) {
        Set<QpAttribute> sum = EnumSet.noneOf(QpAttribute.class);
        sum.addAll(attributes);
        sum.add(more);
        return sum;
    }

    private static void assertPasses(Cell cell, Set<QpAttribute> mask) {
        assertThatCode(() -> QpStateTable.check(cell.type, cell.from, cell.to, mask))
                .as("%s with %s", cell, mask)
                .doesNotThrowAnyException();
    }

    private static void assertRefused(Cell cell, Set<QpAttribute> mask, String message) {
        assertThatExceptionOfType(RdmaException.class)
                .as("%s with %s", cell, mask)
                .isThrownBy(() -> QpStateTable.check(cell.type, cell.from, cell.to, mask))
                .withMessageContaining(message)
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }
}
