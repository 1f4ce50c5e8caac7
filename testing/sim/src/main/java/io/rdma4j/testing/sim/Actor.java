package io.rdma4j.testing.sim;

/** An application in the simulation: acts when something may have happened, and at times of its own choice. */
public interface Actor {
    /**
     * Does what it wants to do now.
     *
     * @return true if it did something: the simulation comes back at the same time
     */
    boolean act(long nowNs);

    /** When it wants to act even if nothing happens, or {@link io.rdma4j.base.Deadline#NEVER}. */
    long nextActionNs();
}
