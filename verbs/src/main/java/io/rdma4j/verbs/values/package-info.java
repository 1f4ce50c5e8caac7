// SPDX-License-Identifier: Apache-2.0
/** Values of the verbs: enums, flags, attributes and addresses. They refer to no object. */
@NullMarked
package io.rdma4j.verbs.values;

import org.jspecify.annotations.NullMarked;
