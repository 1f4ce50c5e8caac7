// SPDX-License-Identifier: Apache-2.0
/**
 * Performance tests with the names and the protocol of perftest: {@code ib_send_lat}, {@code ib_write_bw} and so on.
 * Each of the two ends may be the original.
 *
 * <p>A test consists of a {@link io.rdma4j.tools.perftest.Verb} and a {@link io.rdma4j.tools.perftest.Measure}; {@code
 * PerfTest} derives its properties. {@code PerfSession} runs the steps of a test, {@code PerfExchange} is its TCP
 * protocol, and {@code PerfContext} holds its verbs objects. {@code LatencyRunner} and {@code BandwidthRunner} measure;
 * {@code PerfPrinter} and {@code PerfReport} write the results.
 */
@NullMarked
package io.rdma4j.tools.perftest;

import org.jspecify.annotations.NullMarked;
