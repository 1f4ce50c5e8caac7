// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.abi;

import java.lang.foreign.Arena;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Two client threads set doorbells of one word while the server takes them: the server finds each doorbell in this poll
 * or the next one.
 */
@JCStressTest
@Outcome(id = "[0-3], 3", expect = Expect.ACCEPTABLE, desc = "both were found in the end")
@Outcome(expect = Expect.FORBIDDEN, desc = "a doorbell is lost")
@State
public class DoorbellTakingStress {
    private final DoorbellPage page = new DoorbellPage(Arena.ofAuto().allocate(DoorbellPage.BYTES, 64));

    private int take() {
        return page.takeSummary() == 0 ? 0 : (int) page.takeWord(0);
    }

    @Actor
    public void ringFirst() {
        page.ring(0);
    }

    @Actor
    public void ringSecond() {
        page.ring(1);
    }

    @Actor
    public void poll(II_Result result) {
        result.r1 = take();
    }

    @Arbiter
    public void pollAgain(II_Result result) {
        result.r2 = result.r1 | take();
    }
}
