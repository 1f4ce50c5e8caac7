// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

/** Which threads run a loop. */
public enum ProgressMode {
    /** Threads that post or poll run it; a loop thread runs it while no other thread does. */
    AUTOMATIC,
    /** Only {@link NetLoop#progress} runs it: simulations and tests choose the time. */
    MANUAL
}
