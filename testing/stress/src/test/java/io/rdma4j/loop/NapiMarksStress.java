// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A link announces a packet while the owner of the loop clears the mark and polls: the owner finds the packet, or the
 * mark is set again. Tests the order of {@link NapiMarks#set} and {@link NapiMarks#clear}.
 */
@JCStressTest
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "the poll was over, and the context is marked again")
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "the mark was cleared later, and the poll finds the packet")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "the poll finds the packet, and the context stays marked")
@Outcome(id = "0, 0", expect = Expect.FORBIDDEN, desc = "the packet is forgotten")
@State
public class NapiMarksStress {
    private final NapiMarks marks = new NapiMarks(1);
    private int packets;

    @Actor
    public void announce() {
        packets = 1;
        marks.set(0);
    }

    @Actor
    public void poll(II_Result result) {
        marks.clear(0);
        result.r1 = packets;
    }

    @Arbiter
    public void end(II_Result result) {
        result.r2 = marks.next(0) == 0 ? 1 : 0;
    }
}
