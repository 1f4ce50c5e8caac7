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
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
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
                .isThrownBy(() -> ResourceCodec.decode(ResourceCodec.compress(line.getBytes(StandardCharsets.UTF_8))))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    @Test
    void whatIsNoCompressedTextIsRefused() {
        byte[] whole = ResourceCodec.encode(List.of(new Resource(ResourceKind.PD, 1, new Owner(1, "a"), Map.of())));
        byte[] endless = ResourceCodec.compress(new byte[1 << 26]);
        for (byte[] bytes :
                List.of(new byte[0], new byte[] {1, 2, 3}, Arrays.copyOf(whole, whole.length - 5), endless)) {
            assertThatExceptionOfType(RdmaException.class)
                    .isThrownBy(() -> ResourceCodec.decode(bytes))
                    .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
        }
    }

    @Test
    void theIdsOfFiftyThousandConnectionsFitIntoAFrame() {
        Random random = new Random(1);
        List<Resource> ids =
                IntStream.range(0, 50_000).mapToObj(i -> id(i, random)).toList();
        assertThat(ResourceCodec.decode(ResourceCodec.encode(ids))).isEqualTo(ids);
        List<Resource> tooMany =
                IntStream.range(0, 200_000).mapToObj(i -> id(i, random)).toList();
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> ResourceCodec.encode(tooMany))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EMSGSIZE));
    }

    private static Resource id(int number, Random random) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("lqpn", 17L + number);
        details.put("qp-type", "RC");
        details.put("state", "CONNECT");
        details.put("ps", "TCP");
        details.put("src-addr", "10.0.0.1:7471");
        details.put(
                "dst-addr", "10.0." + random.nextInt(256) + "." + random.nextInt(256) + ":" + random.nextInt(65_536));
        return new Resource(ResourceKind.CM_ID, number, new Owner(4711, "program"), details);
    }
}
