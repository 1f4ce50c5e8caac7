// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.packet;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Another thread frees buffers while the pool's owner allocates. */
@JCStressTest
@Outcome(
        id = {"1, 2, 0", "2, 1, 0"},
        expect = Expect.ACCEPTABLE,
        desc = "one buffer at once, and the other one later")
@Outcome(expect = Expect.FORBIDDEN, desc = "a buffer is lost, or given out twice")
@State
public class FreeAllocateStress {
    private final BufferStation station = BufferStation.take();

    public FreeAllocateStress() {
        station.first.free();
    }

    @Actor
    public void free() {
        station.second.free();
    }

    @Actor
    public void allocate(III_Result result) {
        result.r1 = station.tryAllocate();
    }

    @Arbiter
    public void rest(III_Result result) {
        result.r2 = station.tryAllocate();
        result.r3 = station.tryAllocate();
        station.giveBack();
    }
}
