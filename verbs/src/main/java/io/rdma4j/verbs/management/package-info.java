// SPDX-License-Identifier: Apache-2.0
/**
 * Devices as management beans (JMX). Loaded only when the application calls it or the property {@code rdma4j.jmx} is
 * set; needs the module java.management.
 */
@NullMarked
package io.rdma4j.verbs.management;

import org.jspecify.annotations.NullMarked;
