// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.peer;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.interop.lab.LabException;
import io.rdma4j.interop.lab.Talk;
import io.rdma4j.rdmacm.PortSpace;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WrOpcode;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;

/** One of the two sides of a verbs scenario: sends commands to its process. One thread. */
public final class Side implements AutoCloseable {
    /** Size of the memory region. */
    public static final int BYTES = 1 << 20;

    /** Q_Key of queue pair 1. */
    private static final String GSI_QKEY = "2147549184";

    private static final Duration START = Duration.ofSeconds(60);
    private static final Duration ANSWER = Duration.ofSeconds(60);

    private final String name;
    private final String address;
    private final Talk talk;
    private CommandWords own = CommandWords.parse("");

    /**
     * Creates a side without open device.
     *
     * @param name for messages
     * @param address of its device
     * @param talk connection to its process; closed with this object
     */
    public Side(String name, String address, Talk talk) throws IOException {
        this.name = name;
        this.address = address;
        this.talk = talk;
        String first = talk.receive(START);
        if (!"ready".equals(first)) {
            talk.close();
            throw new LabException(name + ": the process does not start: " + first);
        }
    }

    /**
     * Executes one command.
     *
     * @throws RdmaException with the errno that the side reports
     */
    private CommandWords call(String command) throws IOException {
        talk.send(command);
        String answer = talk.receive(ANSWER);
        if (answer == null) {
            throw new LabException(name + " does not answer to '" + command + "'");
        }
        String[] words = answer.split(" ", 3);
        if (words[0].equals("error")) {
            throw new RdmaException(Errno.valueOf(words[1]), name + ": " + command + ": " + words[2]);
        }
        if (!words[0].equals("ok")) {
            throw new LabException(name + " says to '" + command + "': " + answer);
        }
        return CommandWords.parse(answer);
    }

    /**
     * Creates memory and a queue pair.
     *
     * @param device name in the guest; the rdma4j side has only one
     * @param type RC, UC or UD
     * @param access rights of the memory and of the queue pair
     */
    public void open(String device, String type, Set<AccessFlag> access) throws IOException {
        own = call("open device=" + device + " type=" + type + " address=" + address + " bytes=" + BYTES + " access="
                + AccessFlag.mask(access));
    }

    /** Connects to the other side, which must be open; the other side must connect too. */
    public void connect(Side other, PeerConnection connection) throws IOException {
        call("connect qpn=" + other.own.text("qpn") + " psn=" + other.own.text("psn") + " gid=" + other.own.text("gid")
                + " " + connection.words());
    }

    /** Lets an open UD queue pair send to queue pair 1 of the other side's device, which must be open. */
    public void connectToServices(Side other) throws IOException {
        call("connect qpn=1 psn=0 gid=" + other.own.text("gid") + " qkey=" + GSI_QKEY);
    }

    /** Serves queue pair 1 of the device, which Linux always does. */
    public void serve() throws IOException {
        call("serve address=" + address);
    }

    /** Address of the first byte of the memory region for the peer. */
    public long address() {
        return own.number("address");
    }

    /** Key of the whole memory region. */
    public int rkey() {
        return own.integer("rkey");
    }

    /** Name for messages. */
    public String name() {
        return name;
    }

    /** Posts a receive. */
    public void receive(long id, long offset, int length) throws IOException {
        call("receive id=" + id + " offset=" + offset + " length=" + length);
    }

    /** Posts a request. */
    public void post(WrOpcode opcode, long id, long offset, int length, String more) throws IOException {
        call(("post op=" + opcode + " id=" + id + " offset=" + offset + " length=" + length + " " + more).strip());
    }

    /** Posts a request that accesses remote memory. */
    public void post(WrOpcode opcode, long id, long offset, int length, long remote, int rkey) throws IOException {
        post(
                opcode,
                id,
                offset,
                length,
                "remote=" + Long.toUnsignedString(remote) + " rkey=" + Integer.toUnsignedString(rkey));
    }

    /**
     * Waits for the next completion.
     *
     * @throws LabException if none arrives in time
     */
    public Completion completion(Duration limit) throws IOException {
        CommandWords words = call("poll ms=" + limit.toMillis());
        if (words.integer("status") < 0) {
            throw new LabException(name + ": no completion in " + limit);
        }
        return new Completion(
                WcStatus.ofCode(words.integer("status")),
                words.number("id"),
                words.integer("bytes"),
                words.integer("imm"));
    }

    /** True if no completion arrives within {@code limit}. */
    public boolean isQuiet(Duration limit) throws IOException {
        return call("poll ms=" + limit.toMillis()).integer("status") < 0;
    }

    /**
     * Posts the bind of a window to a part of the memory.
     *
     * @param kind 1 or 2
     * @return its key, valid after the request has completed
     */
    public int bindWindow(int kind, long id, long offset, long length, Set<AccessFlag> access) throws IOException {
        return call("window kind=" + kind + " id=" + id + " offset=" + offset + " length=" + length + " access="
                        + AccessFlag.mask(access))
                .integer("rkey");
    }

    /** Registers a part of the memory again; returns its key. */
    public int register(long offset, long length, Set<AccessFlag> access) throws IOException {
        return call("region offset=" + offset + " length=" + length + " access=" + AccessFlag.mask(access))
                .integer("rkey");
    }

    /** Writes a pattern to memory. */
    public void fill(long offset, long length, int seed) throws IOException {
        call("fill offset=" + offset + " length=" + length + " seed=" + seed);
    }

    /** Writes 64 bits. */
    public void set(long offset, long value) throws IOException {
        call("set offset=" + offset + " value=" + Long.toUnsignedString(value));
    }

    /** Reads 64 bits. */
    public long get(long offset) throws IOException {
        return call("get offset=" + offset).number("value");
    }

    /** CRC-32 of memory. */
    public long crc(long offset, long length) throws IOException {
        return call("crc offset=" + offset + " length=" + length).number("crc");
    }

    /**
     * Listens for connections of rdma_cm.
     *
     * @param backlog maximum number of requests for which {@link #event} was not called
     */
    public void listen(PortSpace space, int port, int backlog) throws IOException {
        call("cm_listen address=" + address + " space=" + space + " port=" + port + " backlog=" + backlog);
    }

    /**
     * Requests a connection of rdma_cm, after the end of the last one; an event tells how that ends.
     *
     * @param data private data: ASCII without space
     */
    public void dial(Side listener, PortSpace space, int port, String data) throws IOException {
        dial(listener, space, port, data, 0);
    }

    /** As {@link #dial}, while the requests before wait for their answers. */
    public void dialFurther(Side listener, PortSpace space, int port, String data) throws IOException {
        dial(listener, space, port, data, 1);
    }

    private void dial(Side listener, PortSpace space, int port, String data, int further) throws IOException {
        call("cm_connect address=" + listener.address + " space=" + space + " port=" + port + " data=" + data
                + " further=" + further);
    }

    /** Accepts the requested connection with private data. */
    public void accept(String data) throws IOException {
        call("cm_accept data=" + data);
    }

    /** Rejects the requested connection with private data. */
    public void reject(String data) throws IOException {
        call("cm_reject data=" + data);
    }

    /** Disconnects. */
    public void disconnect() throws IOException {
        call("cm_disconnect");
    }

    /** Waits for the next event; a requested connection becomes the current one. */
    public CmOutcome event() throws IOException {
        CommandWords words = call("cm_event");
        return new CmOutcome(words.text("event"), words.text("data"));
    }

    /** Sends a word over the connection; returns the status of the completion. */
    public WcStatus say(String word) throws IOException {
        return WcStatus.ofCode(call("cm_send text=" + word).integer("status"));
    }

    /** Waits for a word. */
    public String hear() throws IOException {
        return call("cm_receive").text("text");
    }

    /** Closes the connection. */
    public void hangUp() throws IOException {
        call("cm_close");
    }

    /** One of the port's {@code hw_counters}. */
    public long counter(String counter) throws IOException {
        return counters().number(counter);
    }

    /** All of the port's {@code hw_counters} at once. */
    public CommandWords counters() throws IOException {
        return call("counters");
    }

    /** State of the queue pair. */
    public QpState state() throws IOException {
        return QpState.ofCode(call("state").integer("state"));
    }

    /** Kills the process. */
    @Override
    public void close() throws IOException {
        talk.close();
    }
}
