package io.rdma4j.testing.architecture.samples.layers.lower;

import io.rdma4j.testing.architecture.samples.layers.upper.Upper;

/** Knows its upper neighbour, which closes the circle. */
public interface Lower {
    /** The way back up. */
    Upper upper();
}
