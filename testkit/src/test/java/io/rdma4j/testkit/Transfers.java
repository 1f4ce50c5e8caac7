// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.endpoint.QpPair;

/** Messages that the tests send. */
final class Transfers {
    private static final int MESSAGE_BYTES = 16_384;

    private Transfers() {}

    /** Sends messages one after another, each of several packets, and checks what arrives. */
    static void run(QpPair pair, int messages) {
        for (int i = 0; i < messages; i++) {
            pair.a().memory.asSlice(0, MESSAGE_BYTES).fill((byte) (i + 1));
            pair.b().postReceive(i, 0, MESSAGE_BYTES);
            pair.a().postSend(i, 0, MESSAGE_BYTES);
            assertThat(pair.b().awaitReceive().byteLength()).isEqualTo(MESSAGE_BYTES);
            assertThat(pair.a().awaitSend().wrId()).isEqualTo(i);
            assertThat(pair.b()
                            .memory
                            .asSlice(0, MESSAGE_BYTES)
                            .mismatch(pair.a().memory.asSlice(0, MESSAGE_BYTES)))
                    .isEqualTo(-1);
        }
    }
}
