// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.abi;

import java.lang.foreign.Arena;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A client sets a doorbell while a thread of the server starts to sleep: the thread sees the doorbell, or the client
 * wakes it.
 */
@JCStressTest
@Outcome(id = "0, 1, 1", expect = Expect.ACCEPTABLE, desc = "the thread saw nothing, and is woken")
@Outcome(id = "1, 0, 1", expect = Expect.ACCEPTABLE, desc = "the thread saw the doorbell, and is not woken")
@Outcome(id = "1, 1, 1", expect = Expect.ACCEPTABLE, desc = "it saw the doorbell, and is woken once too often")
@Outcome(id = "0, 0, 1", expect = Expect.FORBIDDEN, desc = "the thread sleeps, and nothing wakes it")
@Outcome(id = ".*, .*, 0", expect = Expect.FORBIDDEN, desc = "the doorbell is lost")
@State
public class DoorbellPageStress {
    private static final int DOORBELL = 70;

    private final DoorbellPage page = new DoorbellPage(Arena.ofAuto().allocate(DoorbellPage.BYTES, 64));

    @Actor
    public void ring(III_Result result) {
        page.ring(DOORBELL);
        result.r2 = page.takeSleepers() ? 1 : 0;
    }

    @Actor
    public void fallAsleep(III_Result result) {
        result.r1 = page.beginSleep(0) ? 1 : 0;
    }

    @Arbiter
    public void look(III_Result result) {
        long words = page.takeSummary();
        result.r3 = words == 1L << 1 && page.takeWord(1) == 1L << DOORBELL ? 1 : 0;
    }
}
