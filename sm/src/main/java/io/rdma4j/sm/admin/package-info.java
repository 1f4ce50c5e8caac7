// SPDX-License-Identifier: Apache-2.0
/** The subnet administrator (IBA 15): answers from what the last sweep has found; keeps groups and services. */
@NullMarked
package io.rdma4j.sm.admin;

import org.jspecify.annotations.NullMarked;
