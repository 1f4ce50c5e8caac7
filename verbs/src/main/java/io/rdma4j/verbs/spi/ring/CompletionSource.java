// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

/**
 * Work that produces completions and needs no event loop: a thread that polls an empty completion queue does it. See
 * {@link CompletionRing#add}.
 */
@FunctionalInterface
public interface CompletionSource {
    /**
     * Does the pending work. Any thread; must neither block nor allocate.
     *
     * @return true if there was any
     */
    boolean poll();
}
