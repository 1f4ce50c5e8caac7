// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.netlab.command.shell.Json;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {
    @Test
    void valuesNest() {
        assertThat(Json.text(List.of(Map.of("a", List.of(1, 2.5, true)), List.of(), Map.of())))
                .isEqualTo("[{\"a\":[1,2.5,true]},[],{}]");
    }

    @Test
    void textIsEscaped() {
        assertThat(Json.text("a\"b\\c\n\u0001é")).isEqualTo("\"a\\\"b\\\\c\\u000a\\u0001é\"");
    }
}
