// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.packet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BufferSiteTest {
    private final SkBuffPool pool = new SkBuffPool(2, 128, 0, true);

    @AfterEach
    void close() {
        pool.close();
    }

    private SkBuff forgetful() {
        return Objects.requireNonNull(pool.allocate());
    }

    private static void hasty(SkBuff skb) {
        skb.free();
    }

    @Test
    void aLeakNamesWhereTheBufferWasAllocatedAndWhoOwnsIt() {
        SkBuff kept = forgetful();
        kept.put(7);
        kept.meta().owner("the endpoint");
        assertThat(pool.outstanding())
                .singleElement()
                .asString()
                .startsWith("buffer of 7 bytes, 1 holders, owner the endpoint, device null, allocated by ")
                .contains(" at ")
                .contains("BufferSiteTest.forgetful");
        SkBuff clone = Objects.requireNonNull(kept.cloneDescriptor());
        kept.free();
        assertThat(pool.outstanding()).singleElement().asString().startsWith("clone of 7 bytes");
        clone.free();
        assertThat(pool.outstanding()).isEmpty();
    }

    @Test
    void aDoubleFreeNamesTheFirstOne() {
        SkBuff skb = forgetful();
        hasty(skb);
        assertThatThrownBy(skb::free)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("double free")
                .cause()
                .hasMessageStartingWith("freed by ")
                .hasStackTraceContaining("BufferSiteTest.hasty");
    }

    @Test
    void aUseAfterFreeNamesWhereItWasFreed() {
        SkBuff skb = forgetful();
        hasty(skb);
        assertThatThrownBy(() -> skb.put(1))
                .isInstanceOf(AssertionError.class)
                .cause()
                .hasStackTraceContaining("BufferSiteTest.hasty");
    }

    @Test
    void otherPoolsKeepNothingInMind() {
        SkBuffPool plain = new SkBuffPool(1, 128);
        SkBuff skb = Objects.requireNonNull(plain.allocate());
        assertThat(plain.outstanding()).isEmpty();
        skb.free();
        assertThatThrownBy(skb::free).isInstanceOf(IllegalStateException.class).hasNoCause();
        assertThatThrownBy(() -> skb.put(1)).isInstanceOf(AssertionError.class).hasMessage("use after free");
        plain.close();
    }
}
