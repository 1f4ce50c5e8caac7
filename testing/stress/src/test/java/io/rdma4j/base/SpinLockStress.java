// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.base;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Two threads increment a counter under one lock. */
@JCStressTest
@Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "one after the other")
@Outcome(expect = Expect.FORBIDDEN, desc = "both at once")
@State
public class SpinLockStress {
    private final SpinLock lock = new SpinLock();
    private int count;

    private void increment() {
        lock.lock();
        count++;
        lock.unlock();
    }

    @Actor
    public void one() {
        increment();
    }

    @Actor
    public void other() {
        increment();
    }

    @Arbiter
    public void count(I_Result result) {
        result.r1 = count;
    }
}
