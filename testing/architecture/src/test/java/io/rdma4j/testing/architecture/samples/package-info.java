// SPDX-License-Identifier: Apache-2.0
/** Samples that violate the rules, to prove that the rules can fail. They are never executed. */
@NullMarked
package io.rdma4j.testing.architecture.samples;

import org.jspecify.annotations.NullMarked;
