// SPDX-License-Identifier: Apache-2.0
/**
 * The conformance kit, which every provider of the verbs must pass: abstract test classes, one for each topic, which
 * use only the public API.
 *
 * <p>A provider writes one test class with a nested subclass for each topic. The subclass opens a {@link
 * io.rdma4j.testing.conformance.harness.ConformanceTarget}: two contexts whose devices reach each other. Cases for
 * features that a device does not claim are skipped with the reason. The cases are those of rdma-core's test suite,
 * with the name of the original if there is one, and additional ones.
 */
@NullMarked
package io.rdma4j.testing.conformance;

import org.jspecify.annotations.NullMarked;
