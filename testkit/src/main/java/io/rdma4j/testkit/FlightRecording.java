// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import jdk.jfr.Recording;
import org.jspecify.annotations.Nullable;

/**
 * The flight recording of this JVM. It begins with the first test that wants one and runs until the JVM ends, because a
 * start and a stop for each test would take longer than most tests. It keeps the events of the last five minutes. Any
 * thread.
 */
final class FlightRecording {
    private static final Duration MAX_AGE = Duration.ofMinutes(5);
    private static final long MAX_BYTES = 64L << 20;
    private static final List<String> EVENTS = List.of(
            "Test",
            "QueuePairState",
            "Ladder",
            "Retransmission",
            "RnrNak",
            "RetryExceeded",
            "CompletionError",
            "PacketDrop",
            "PortCounter");

    private static @Nullable Recording running;

    private FlightRecording() {}

    /** Starts the recording, unless it runs. */
    static synchronized void start() {
        if (running == null) {
            Recording recording = new Recording();
            recording.setName("rdma4j test kit");
            recording.setMaxAge(MAX_AGE);
            recording.setMaxSize(MAX_BYTES);
            EVENTS.forEach(event -> recording.enable("rdma4j." + event));
            recording.start();
            running = recording;
        }
    }

    /** Writes the events so far to a file; without a recording, does nothing. */
    static synchronized void dump(Path file) throws IOException {
        if (running != null) {
            running.dump(file);
        }
    }
}
