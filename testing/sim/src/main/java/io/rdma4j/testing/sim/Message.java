package io.rdma4j.testing.sim;

/**
 * A message of the plan; sender and receiver both know it.
 *
 * @param index number in its direction, from 0
 * @param key what its bytes are a function of, with their offset
 * @param length bytes
 * @param hasImmediate whether it carries immediate data
 * @param immediate the immediate data
 * @param inline whether its bytes are copied while posting
 * @param signaled whether the sender asks for a completion
 * @param solicited whether it is marked as solicited
 */
record Message(
        int index,
        long key,
        int length,
        boolean hasImmediate,
        int immediate,
        boolean inline,
        boolean signaled,
        boolean solicited) {}
