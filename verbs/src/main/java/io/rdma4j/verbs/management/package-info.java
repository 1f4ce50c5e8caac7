/** Devices as management beans (JMX). Loaded only when a program or the property {@code rdma4j.jmx} wants them; needs the module java.management. */
@NullMarked
package io.rdma4j.verbs.management;

import org.jspecify.annotations.NullMarked;
