package io.rdma4j.testing.architecture.samples.layers.upper;

import io.rdma4j.testing.architecture.samples.layers.lower.Lower;

/** Knows its lower neighbour. */
public record Upper(Lower lower) {}
