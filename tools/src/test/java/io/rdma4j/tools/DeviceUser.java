// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.Rdma;
import io.rdma4j.verbs.local.OpeningMark;
import io.rdma4j.verbs.local.RunDirectory;
import io.rdma4j.verbs.values.EventType;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A program with a device, as a user writes it. {@code use NAME FILE} keeps the device open until the file exists. When
 * the GID table changes, it prints the table, and whether the device is still listed. When the link of the port goes
 * down or up, it prints the event and the state of the port. When the device is removed, it
 * prints the event and opens the device again. {@code occupy ADDRESS} only binds UDP port 4791 of an address.
 * {@code begin ADDRESS FILE} also says that it is about to serve a device there, until the file exists.
 */
final class DeviceUser {
    private static final Duration PAUSE = Duration.ofMillis(50);

    private DeviceUser() {}

    public static void main(String[] args) throws Exception {
        if (args[0].equals("occupy")) {
            try (DatagramSocket socket = new DatagramSocket(4791, InetAddress.ofLiteral(args[1]))) {
                System.out.println("occupied " + socket.getLocalPort());
                Thread.sleep(Duration.ofDays(1));
            }
        }
        Path end = Path.of(args[2]);
        if (args[0].equals("begin")) {
            begin(InetAddress.ofLiteral(args[1]), end);
            return;
        }
        long startNs = System.nanoTime();
        System.out.println("opening");
        Context context;
        try {
            context = Rdma.open(args[1]);
        } catch (RdmaException e) {
            System.out.println("refused within "
                    + Duration.ofNanos(System.nanoTime() - startNs).toSeconds() + " s: " + e.getMessage());
            return;
        }
        System.out.println("open");
        while (!Files.exists(end)) {
            AsyncEvent event = context.getAsyncEvent(PAUSE);
            if (event != null && event.type() == EventType.GID_CHANGE) {
                context.acknowledgeAsyncEvent(event);
                System.out.println("GIDs "
                        + context.queryGidTable().stream()
                                .map(entry -> entry.gid().toString())
                                .toList()
                        + (Rdma.devices().contains(context.device()) ? " present" : " gone"));
            } else if (event != null && (event.type() == EventType.PORT_ERR || event.type() == EventType.PORT_ACTIVE)) {
                context.acknowledgeAsyncEvent(event);
                System.out.println("event " + event.type() + ", the port is "
                        + context.queryPort(1).state());
            } else if (event != null && event.type() == EventType.DEVICE_FATAL) {
                System.out.println("event " + event.type());
                context.acknowledgeAsyncEvent(event);
                askInVain(context);
                context.close();
                context = Rdma.open(args[1]);
                System.out.println("open again");
            }
        }
        context.close();
        System.out.println("closed");
        Thread.sleep(Duration.ofDays(1));
    }

    private static void begin(InetAddress address, Path end) throws Exception {
        try (OpeningMark _ = OpeningMark.place(RunDirectory.configured(), true);
                DatagramSocket socket = new DatagramSocket(4791, address)) {
            System.out.println("begun " + socket.getLocalPort());
            while (!Files.exists(end)) {
                Thread.sleep(PAUSE);
            }
        }
    }

    private static void askInVain(Context context) {
        try (ProtectionDomain pd = context.allocatePd()) {
            System.out.println("made " + pd);
        } catch (RdmaException e) {
            System.out.println("refused: " + e.getMessage());
        }
    }
}
