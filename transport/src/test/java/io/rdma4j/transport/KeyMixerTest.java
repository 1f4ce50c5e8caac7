package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyMixerTest {
    private static final int INDEXES = 1 << 24;

    @ParameterizedTest
    @ValueSource(longs = {0, 1, -1, 0x0123456789ABCDEFL, Long.MIN_VALUE, 0xFFFF_FFFFL})
    void everyIndexHasAKeyOfItsOwnAndComesBackFromIt(long secret) {
        KeyMixer mixer = new KeyMixer(secret);
        BitSet keys = new BitSet(INDEXES);
        for (int index = 0; index < INDEXES; index++) {
            int key = mixer.toKey(index);
            if (mixer.toIndex(key) != index) {
                throw new AssertionError("index " + index + " became key " + key);
            }
            keys.set(key);
        }
        assertThat(keys.cardinality()).isEqualTo(INDEXES);
        assertThat(mixer.toKey(0)).isZero();
    }

    @Test
    void withoutASecretIndexesStayAsTheyAre() {
        assertThat(new KeyMixer(0).toKey(12345)).isEqualTo(12345);
    }

    @Test
    void stepFromKeyToKeyDoesNotRepeat() {
        KeyMixer mixer = new KeyMixer(0x9E3779B97F4A7C15L);
        BitSet steps = new BitSet();
        for (int index = 1; index < 1000; index++) {
            steps.set(mixer.toKey(index + 1) - mixer.toKey(index) & INDEXES - 1);
        }
        assertThat(steps.cardinality()).as("different steps of 999").isGreaterThan(500);
    }
}
