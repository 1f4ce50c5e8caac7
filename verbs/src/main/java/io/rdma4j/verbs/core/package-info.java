// SPDX-License-Identifier: Apache-2.0
/** Life cycles, use counts and argument checks, which all packages of this module use. */
@NullMarked
package io.rdma4j.verbs.core;

import org.jspecify.annotations.NullMarked;
