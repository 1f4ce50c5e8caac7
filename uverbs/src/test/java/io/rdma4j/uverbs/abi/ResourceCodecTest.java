// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.abi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.Owner;
import io.rdma4j.verbs.values.Resource;
import io.rdma4j.verbs.values.ResourceKind;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ResourceCodecTest {
    @Test
    void objectsAreReadAsTheyWereWrittenAndBlanksInNamesDoNoHarm() {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("type", "RC");
        details.put("pdn", 3L);
        Resource pair = new Resource(ResourceKind.QP, 17, new Owner(4711, "two words"), details);
        Resource context = new Resource(ResourceKind.CONTEXT, 1, new Owner(1, "a\tb\nc"), Map.of());

        List<Resource> read = ResourceCodec.decode(ResourceCodec.encode(List.of(pair, context)));

        assertThat(read).containsExactly(pair, new Resource(ResourceKind.CONTEXT, 1, new Owner(1, "a b c"), Map.of()));
        assertThat(ResourceCodec.decode(ResourceCodec.encode(List.of()))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"qp", "qp\t1\t2", "qp\tx\t2\tc", "xx\t1\t2\tc", "qp\t1\t2\tc\tkey", "qp\t99999999999\t2\tc"})
    void whatIsNoObjectIsRefused(String line) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> ResourceCodec.decode(line.getBytes(StandardCharsets.UTF_8)))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }
}
