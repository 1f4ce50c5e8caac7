// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.packet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.testing.ledger.Covers;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SkBuffRouteTest {
    private final SkBuffPool pool = new SkBuffPool(2, 128);
    private final SkBuff skb = Objects.requireNonNull(pool.allocate());
    private final Route route = new Route();

    private static final class Route extends DstEntry {
        private boolean unused;

        @Override
        protected void onUnused() {
            unused = true;
        }
    }

    @AfterEach
    void nothingIsLeaked() {
        if (skb.users() > 0) {
            skb.free();
        }
        pool.close();
        assertThat(pool.leaked()).isZero();
    }

    @Test
    @Covers({"SKB-16", "SKB-18", "SKB-20", "SKB-21"})
    void aCountedRouteIsGivenBackWithTheBuffer() {
        route.hold();
        skb.meta().dst(route);
        assertThat(skb.meta().dst()).isSameAs(route);
        assertThat(route.references()).isEqualTo(2);
        skb.meta().dropDst();
        assertThat(skb.meta().dst()).isNull();
        assertThat(route.references()).isEqualTo(1);

        route.hold();
        skb.meta().dst(route);
        skb.free();
        assertThat(route.references()).isEqualTo(1);
        assertThat(route.unused).isFalse();
    }

    @Test
    @Covers({"SKB-16", "SKB-19", "SKB-20"})
    void aRouteWithoutReferenceIsNotGivenBack() {
        skb.meta().dstNoref(route);
        assertThat(skb.meta().dst()).isSameAs(route);
        skb.meta().dropDst();
        assertThat(skb.meta().dst()).isNull();
        skb.meta().dstNoref(route);
        skb.free();
        assertThat(route.references()).isEqualTo(1);
    }

    @Test
    @Covers({"SKB-18", "SKB-36"})
    void clonesAndCopiesTakeReferencesOfTheirOwn() {
        route.hold();
        skb.meta().dst(route);
        SkBuff clone = Objects.requireNonNull(skb.cloneDescriptor());
        SkBuff copy = Objects.requireNonNull(skb.copy());
        assertThat(clone.meta().dst()).isSameAs(route);
        assertThat(copy.meta().dst()).isSameAs(route);
        assertThat(route.references()).isEqualTo(4);
        skb.free();
        clone.free();
        copy.free();
        assertThat(route.references()).isEqualTo(1);
    }

    @Test
    @Covers("SKB-18")
    void aNewRouteTakesTheOldOnesPlace() {
        Route better = new Route();
        route.hold();
        skb.meta().dst(route);
        better.hold();
        skb.meta().dst(better);
        assertThat(route.references()).isEqualTo(1);
        assertThat(skb.meta().dst()).isSameAs(better);
        skb.meta().dst(null);
        assertThat(better.references()).isEqualTo(1);
    }

    @Test
    @Covers("SKB-21")
    void theLastReferenceIsTheLast() {
        assertThat(route.unused).isFalse();
        route.release();
        assertThat(route.unused).isTrue();
        assertThatThrownBy(route::release).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(route::hold).isInstanceOf(IllegalStateException.class);
        assertThat(route.references()).isZero();
    }
}
