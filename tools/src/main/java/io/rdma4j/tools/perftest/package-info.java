/**
 * The performance tests of the kind and with the names of perftest: {@code ib_send_lat}, {@code ib_write_bw} and so on, each of whose
 * two ends may be the original.
 *
 * <p>A test is a {@link io.rdma4j.tools.perftest.Verb} and a {@link io.rdma4j.tools.perftest.Measure}; {@code PerfTest} tells what
 * follows from the two, and everything else is there once: {@code PerfSession} is the course of a test, {@code PerfExchange} its
 * TCP side, {@code PerfContext} its verbs objects, {@code LatencyRunner} and {@code BandwidthRunner} measure, {@code PerfPrinter}
 * and {@code PerfReport} tell.
 */
@NullMarked
package io.rdma4j.tools.perftest;

import org.jspecify.annotations.NullMarked;
