// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture.samples.layers.upper;

import io.rdma4j.testing.architecture.samples.layers.lower.Lower;

/** Depends on the lower layer. */
public record Upper(Lower lower) {}
