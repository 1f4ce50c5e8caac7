// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.peer;

import io.rdma4j.base.RdmaException;
import io.rdma4j.interop.lab.LineSocket;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;

/** The rdma4j side as a program: takes commands over a Unix socket until the peer closes it. */
public final class PeerProgram {
    private static final Duration LONG = Duration.ofHours(1);

    private PeerProgram() {}

    /**
     * Runs until the socket is closed.
     *
     * @param device in the form of {@code DeviceSpec}
     * @param socket on which the scenario listens
     */
    public static void run(String device, Path socket) throws IOException {
        try (OurPeer peer = new OurPeer(device);
                LineSocket line = LineSocket.connect(socket)) {
            line.send("ready");
            for (String command = line.receive(LONG); command != null; command = line.receive(LONG)) {
                line.send(answer(peer, command));
            }
        }
    }

    static String answer(OurPeer peer, String command) {
        try {
            return "ok " + text(peer.run(command.split(" ", 2)[0], CommandWords.parse(command)));
        } catch (RdmaException e) {
            return "error " + e.errno() + " " + e.getMessage();
        }
    }

    private static String text(Map<String, ?> answer) {
        return answer.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .collect(Collectors.joining(" "));
    }
}
