package io.rdma4j.testing.sim;

/** Closes verbs objects, which throw nothing that is checked. */
final class Closing {
    private Closing() {}

    static void close(AutoCloseable object) {
        try {
            object.close();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("verbs objects throw nothing else", e);
        }
    }
}
