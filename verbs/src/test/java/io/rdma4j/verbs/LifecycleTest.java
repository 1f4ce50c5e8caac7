// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.core.Lifecycle;
import io.rdma4j.verbs.core.ObjectKind;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class LifecycleTest {
    private final Lifecycle life = new Lifecycle("object");

    @Test
    void aUserThatCannotBeMadeIsNotCountedWhateverTheReason() {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> life.admit(ObjectKind.MEMORY_REGION, () -> {
                    throw new RdmaException(Errno.ENOMEM, "no room");
                }));
        // As for a fault in mapped memory.
        assertThatExceptionOfType(InternalError.class)
                .isThrownBy(() -> life.admit(ObjectKind.MEMORY_REGION, () -> {
                    throw new InternalError("fault");
                }));
        assertThat(life.users()).isZero();
        assertThat(life.close()).isTrue();
    }

    @Test
    void aUserThatWasMadeKeepsTheObjectOpen() {
        assertThat(life.<String>admit(ObjectKind.MEMORY_REGION, () -> "made")).isEqualTo("made");
        assertThatExceptionOfType(RdmaException.class).isThrownBy(life::close).withMessageContaining("EBUSY");
        life.release(ObjectKind.MEMORY_REGION);
        assertThat(life.close()).isTrue();
    }
}
