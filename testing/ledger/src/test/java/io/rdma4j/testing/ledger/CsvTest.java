// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class CsvTest {
    private static final List<String> HEADER = List.of("a", "b");

    @Test
    void plainAndQuotedFieldsAreTold() {
        assertThat(Csv.parse("a,b\n1,\"x, \"\"y\"\"\nz\"\n,\n", HEADER))
                .containsExactly(List.of("1", "x, \"y\"\nz"), List.of("", ""));
    }

    @Test
    void theLastLineNeedsNoLineEnd() {
        assertThat(Csv.parse("a,b\n1,\"2\"", HEADER)).containsExactly(List.of("1", "2"));
    }

    @Test
    void anotherHeaderIsRefused() {
        assertThatThrownBy(() -> Csv.parse("a,c\n", HEADER)).hasMessageContaining("[a, b]");
        assertThatThrownBy(() -> Csv.parse("", HEADER)).hasMessageContaining("[a, b]");
    }

    @Test
    void aRecordOfAnotherLengthIsRefused() {
        assertThatThrownBy(() -> Csv.parse("a,b\n1,2,3\n", HEADER)).hasMessageContaining("[1, 2, 3]");
    }

    @Test
    void anOpenQuoteIsRefused() {
        assertThatThrownBy(() -> Csv.parse("a,b\n1,\"2\n", HEADER)).hasMessageContaining("not closed");
    }
}
