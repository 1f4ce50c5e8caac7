// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.net;

import io.rdma4j.base.local.LocalUser;
import io.rdma4j.tools.cli.UsageException;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Runs a command in the network of another process; the peer of {@link ControlServer}. */
final class ControlClient {
    private ControlClient() {}

    /**
     * Runs a command and prints its output.
     *
     * @param pid of the process; empty if there is only one
     * @return exit code of the command
     */
    static int run(String pid, HostTask program, PrintWriter out, PrintWriter err) throws IOException {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(ControlSockets.of(choose(pid)));
        try (SocketChannel server = SocketChannel.open(address)) {
            LocalUser.checkPeer(server);
            DataOutputStream request = new DataOutputStream(Channels.newOutputStream(server));
            request.writeInt(1 + program.words().size());
            request.writeUTF(program.host());
            for (String word : program.words()) {
                request.writeUTF(word);
            }
            request.flush();
            DataInputStream answer = new DataInputStream(Channels.newInputStream(server));
            int exit = answer.readInt();
            out.print(readText(answer));
            err.print(readText(answer));
            out.flush();
            err.flush();
            return exit;
        }
    }

    private static String readText(DataInputStream from) throws IOException {
        return new String(from.readNBytes(from.readInt()), StandardCharsets.UTF_8);
    }

    private static long choose(String pid) throws IOException {
        List<Long> running = ControlSockets.running();
        if (!pid.isEmpty()) {
            if (running.stream().noneMatch(one -> pid.equals(one.toString()))) {
                throw new UsageException("process " + pid + " runs no network; there is " + running);
            }
            return Long.parseLong(pid);
        }
        if (running.isEmpty()) {
            throw new UsageException("no network is running: './rdma4j net run TOPOLOGY' starts one");
        }
        if (running.size() > 1) {
            throw new UsageException("several networks are running: choose one by '-p PID', of " + running);
        }
        return running.getFirst();
    }
}
