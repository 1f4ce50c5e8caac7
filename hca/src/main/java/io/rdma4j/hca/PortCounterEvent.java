// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca;

import java.util.Map;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;

/**
 * JFR event with the value of one port counter, named as in {@code hw_counters} of Linux. Written for each open port
 * once per period.
 */
@Name("rdma4j.PortCounter")
@Label("Port Counter")
@Description("Value of a counter of an open port")
@Category("rdma4j")
@Period("1 s")
@StackTrace(false)
public final class PortCounterEvent extends Event {
    @Label("Interface")
    String netdev = "";

    @Label("Counter")
    String counter = "";

    @Label("Value")
    long value;

    /** Writes the counters of a port until it is closed. It has no cost before the JVM starts its first recording. */
    public static final class Writer implements FlightRecorderListener, Runnable, AutoCloseable {
        private final PortCounters port;
        private boolean hooked;

        public Writer(PortCounters port) {
            this.port = port;
        }

        public void start() {
            FlightRecorder.addListener(this);
            if (FlightRecorder.isInitialized()) {
                hook();
            }
        }

        @Override
        public void recorderInitialized(FlightRecorder recorder) {
            hook();
        }

        private synchronized void hook() {
            if (!hooked) {
                hooked = true;
                FlightRecorder.addPeriodicEvent(PortCounterEvent.class, this);
            }
        }

        /** Called by the flight recorder. */
        @Override
        public void run() {
            for (Map.Entry<String, Long> counter : HwCounter.read(port).entrySet()) {
                PortCounterEvent event = new PortCounterEvent();
                event.netdev = port.link().name();
                event.counter = counter.getKey();
                event.value = counter.getValue();
                event.commit();
            }
        }

        @Override
        public synchronized void close() {
            FlightRecorder.removeListener(this);
            if (hooked) {
                FlightRecorder.removePeriodicEvent(this);
            }
        }
    }
}
