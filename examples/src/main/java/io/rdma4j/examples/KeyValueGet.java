// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.examples;

import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.Rdma;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpCapabilities;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A key-value store whose clients read entries by RDMA READ. The server fills a hash table and sends its address and
 * key. After that its program sleeps, and its device serves the READs.
 *
 * <p>Both ends run in one process, or {@code server PORT} in one and {@code client HOST PORT} in another.
 */
public final class KeyValueGet {
    private static final int SLOTS = 64;
    private static final int SLOT_BYTES = 64;
    private static final int KEY = 0; // offset of the key in a slot: a zero-terminated string, empty if free
    private static final int VALUE = 32; // offset of the value

    private KeyValueGet() {}

    public static void main(String[] args) throws Exception {
        if (args.length == 2 && args[0].equals("server")) {
            try (ServerSocket listener = new ServerSocket(Integer.parseInt(args[1]))) {
                System.out.println("server: on port " + listener.getLocalPort());
                serve(listener);
            }
        } else if (args.length == 3 && args[0].equals("client")) {
            lookUp(args[1], Integer.parseInt(args[2]));
        } else {
            try (ServerSocket listener = new ServerSocket(0);
                    ExecutorService background = Executors.newVirtualThreadPerTaskExecutor()) {
                Future<?> server = background.submit(() -> {
                    serve(listener);
                    return null;
                });
                lookUp("localhost", listener.getLocalPort());
                server.get();
            }
        }
    }

    private static void serve(ServerSocket listener) throws IOException {
        try (Socket client = listener.accept();
                // The device of the interface that received the client's connection.
                Context context = Rdma.deviceAt(client.getLocalAddress()).open();
                ProtectionDomain pd = context.allocatePd();
                MemoryRegion table = pd.allocateMemory(SLOTS * SLOT_BYTES, Set.of(AccessFlag.REMOTE_READ));
                CompletionQueue cq = context.createCq(1);
                QueuePair qp = pd.createQp(QpInitAttributes.builder(cq).build())) {
            put(table.segment(), "red", "#ff0000");
            put(table.segment(), "green", "#00ff00");
            put(table.segment(), "blue", "#0000ff");
            Connection.connect(qp, client);
            DataOutputStream out = new DataOutputStream(client.getOutputStream());
            out.writeLong(table.iova()); // the address of the table, and its key
            out.writeInt(table.rkey());
            client.getInputStream().read(); // until the client closes the connection
            System.out.printf(
                    "server: the client is gone; my queue pair completed %d requests%n",
                    cq.poll(1).size());
        }
    }

    private static void lookUp(String host, int port) throws IOException {
        try (Socket server = new Socket(host, port);
                // The device of the interface that has the route to the server.
                Context context = Rdma.deviceTo(server.getInetAddress()).open();
                ProtectionDomain pd = context.allocatePd();
                MemoryRegion landing = pd.allocateMemory(SLOT_BYTES, Set.of(AccessFlag.LOCAL_WRITE));
                CompletionQueue cq = context.createCq(1);
                QueuePair qp = pd.createQp(QpInitAttributes.builder(cq)
                        .capabilities(QpCapabilities.of(1, 0))
                        .build())) {
            Connection.connect(qp, server);
            DataInputStream in = new DataInputStream(server.getInputStream());
            RemoteTable table = new RemoteTable(qp, cq, landing, in.readLong(), in.readInt());
            System.out.println("client: green is " + table.get("green"));
            System.out.println("client: blue is " + table.get("blue"));
            System.out.println("client: mauve is " + table.get("mauve"));
        }
    }

    private static void put(MemorySegment table, String key, String value) {
        int slot = home(key);
        while (!table.getString(at(slot) + KEY).isEmpty()) {
            slot = next(slot);
        }
        table.setString(at(slot) + VALUE, value);
        table.setString(at(slot) + KEY, key);
    }

    private static int home(String key) {
        return Math.floorMod(key.hashCode(), SLOTS);
    }

    private static int next(int slot) {
        return (slot + 1) % SLOTS;
    }

    /** Offset of a slot. */
    private static long at(int slot) {
        return (long) slot * SLOT_BYTES;
    }

    /** The table as a client uses it: an address and a key. */
    private record RemoteTable(QueuePair qp, CompletionQueue cq, MemoryRegion landing, long address, int rkey) {
        /** Reads slots, one READ each, until the key is found or a slot is free. */
        String get(String key) {
            for (int slot = home(key); ; slot = next(slot)) {
                qp.postSend(SendRequest.rdmaRead(rkey, address + at(slot))
                        .sge(landing.sge(0, SLOT_BYTES))
                        .signaled()
                        .build());
                Connection.await(cq);
                String found = landing.segment().getString(KEY);
                if (found.isEmpty()) {
                    return "not in the table";
                }
                if (found.equals(key)) {
                    return landing.segment().getString(VALUE);
                }
            }
        }
    }
}
