// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.examples;

import io.rdma4j.mad.MadAddress;
import io.rdma4j.mad.MadAgent;
import io.rdma4j.mad.MadAgentSetup;
import io.rdma4j.mad.MadRegistration;
import io.rdma4j.mad.MadSend;
import io.rdma4j.mad.ReceivedMad;
import io.rdma4j.mad.gsi.GeneralServices;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Rdma;
import io.rdma4j.verbs.device.PortCapability;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Another management protocol in management datagrams (MADs) of a vendor class, as IPMI and SNMP are tunnelled: a text
 * command goes to the agent at queue pair 1 of a port, and the agent answers. No connection is needed.
 */
public final class VendorAgent {
    private static final int PORT = 1;
    private static final int VENDOR_CLASS = MadClass.VENDOR_RANGE_1;
    private static final int VERSION = 1;
    private static final int TIMEOUT_MS = 1000;
    private static final int RETRIES = 3;

    private VendorAgent() {}

    public static void main(String[] args) throws InterruptedException {
        try (Context context = Rdma.open(Connection.DEVICE);
                GeneralServices services = GeneralServices.open(context, PORT, true);
                Agent agent = new Agent(services);
                Console console = new Console(services)) {
            boolean isAnnounced = context.queryPort(PORT).capabilities().contains(PortCapability.VENDOR_CLASS_SUP);
            System.out.println("the port announces an agent: " + isAnnounced);
            MadAddress address = MadAddress.gsi(AddressVector.roce(PORT, context.queryGid(PORT, 0), 0), 0);
            System.out.println("state: " + console.ask(address, "state"));
            System.out.println("fans: " + console.ask(address, "fans"));
            System.out.println("the agent answered " + agent.answered.get() + " commands");
        }
    }

    /** Answers commands. */
    private static final class Agent implements AutoCloseable {
        private final Context context;
        private final MadAgent agent;
        private final AtomicInteger answered = new AtomicInteger();

        Agent(GeneralServices services) {
            context = services.context();
            agent = services.register(MadAgentSetup.DEFAULT
                    .registration(new MadRegistration(VENDOR_CLASS, VERSION, 0, Set.of(MadMethod.GET.code())))
                    .onReceived((_, command) -> answer(command))
                    .onSent((_, _) -> {}));
        }

        private void answer(ReceivedMad command) {
            try (command) {
                MemorySegment answer = datagram(MadMethod.GET.responseCode(), execute(text(command)));
                Mad.TRANSACTION_ID.put(answer, 0, Mad.TRANSACTION_ID.get(command.datagram(), 0));
                answered.incrementAndGet();
                agent.send(MadSend.of(command.from(), answer));
            }
        }

        private String execute(String command) {
            return command.equals("state")
                    ? context.queryPort(PORT).state().toString()
                    : "there is no command '" + command + "'";
        }

        @Override
        public void close() {
            agent.close();
        }
    }

    /** Sends commands, and waits for the answers. */
    private static final class Console implements AutoCloseable {
        private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
        private final MadAgent agent;

        Console(GeneralServices services) {
            agent = services.register(MadAgentSetup.DEFAULT
                    .onReceived((_, answer) -> {
                        try (answer) {
                            answers.add(text(answer));
                        }
                    })
                    .onSent((_, status) -> {
                        if (status != WcStatus.SUCCESS) {
                            answers.add("no answer: " + status);
                        }
                    }));
        }

        String ask(MadAddress to, String command) throws InterruptedException {
            MemorySegment request = datagram(MadMethod.GET.code(), command);
            Mad.TRANSACTION_ID.put(request, 0, agent.nextTransactionId());
            agent.send(MadSend.request(to, request, TIMEOUT_MS, RETRIES));
            return answers.take();
        }

        @Override
        public void close() {
            agent.close();
        }
    }

    private static MemorySegment datagram(int method, String text) {
        MemorySegment mad = MemorySegment.ofArray(new byte[Mad.BYTES]);
        Mad.BASE_VERSION.put(mad, 0, Mad.BASE_VERSION_1);
        Mad.MGMT_CLASS.put(mad, 0, VENDOR_CLASS);
        Mad.CLASS_VERSION.put(mad, 0, VERSION);
        Mad.METHOD.put(mad, 0, method);
        mad.setString(Mad.HEADER_BYTES, text);
        return mad;
    }

    private static String text(ReceivedMad mad) {
        return mad.datagram().getString(Mad.HEADER_BYTES);
    }
}
