/**
 * The kit that every provider of the verbs must pass: abstract test classes, one for each topic, that know the public API and
 * nothing of the provider.
 *
 * <p>A provider writes one test class with a nested subclass for each topic and tells it how to open a
 * {@link io.rdma4j.testing.conformance.ConformanceTarget}: two contexts whose devices reach each other. What a device does not
 * claim is skipped with the reason. The cases are those of rdma-core's own test suite, whose names are told where there is
 * one, and what it leaves out.
 */
@NullMarked
package io.rdma4j.testing.conformance;

import org.jspecify.annotations.NullMarked;
