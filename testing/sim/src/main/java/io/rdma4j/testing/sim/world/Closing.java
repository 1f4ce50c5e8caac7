// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

/** Closes verbs objects, which throw no checked exceptions. */
public final class Closing {
    private Closing() {}

    public static void close(AutoCloseable object) {
        try {
            object.close();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("verbs objects throw nothing else", e);
        }
    }
}
