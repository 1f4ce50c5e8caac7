// SPDX-License-Identifier: Apache-2.0
/** The state behind the objects of {@link io.rdma4j.verbs}, and the checks that need no such object. */
@NullMarked
package io.rdma4j.verbs.state;

import org.jspecify.annotations.NullMarked;
