// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.packet;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Two threads free one buffer each: the pool contains both afterwards. */
@JCStressTest
@Outcome(
        id = {"1, 2", "2, 1"},
        expect = Expect.ACCEPTABLE,
        desc = "both buffers are there")
@Outcome(expect = Expect.FORBIDDEN, desc = "a buffer is lost, or there twice")
@State
public class FreeStress {
    private final BufferStation station = BufferStation.take();

    @Actor
    public void one() {
        station.first.free();
    }

    @Actor
    public void other() {
        station.second.free();
    }

    @Arbiter
    public void allocate(II_Result result) {
        result.r1 = station.tryAllocate();
        result.r2 = station.tryAllocate();
        station.giveBack();
    }
}
