// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.connect;

import io.rdma4j.testing.sim.world.RunReport;
import java.util.EnumSet;
import java.util.Set;

/** The model of one attempt to connect: what both ends have done and seen. */
final class ConnectAttempt {
    /** What a server decides about a request. */
    enum Decision {
        ACCEPT,
        REJECT,
        /** Closes the id of the request. */
        CLOSE
    }

    /** How an attempt ends at its client. */
    enum End {
        OPEN,
        /** It was established, and has been disconnected. */
        DISCONNECTED,
        REJECTED,
        /** The server does not answer. */
        UNREACHABLE,
        /** The client has closed its id before the connection was established. */
        GIVEN_UP,
        /** The client has crashed. */
        CRASHED
    }

    /** Reason of a rejection by the program, or of its closed id. */
    private static final int CONSUMER = 28;

    private final int number;
    private final String name;
    private final RunReport report;
    private final Set<Decision> decisions = EnumSet.noneOf(Decision.class);
    private End end = End.OPEN;
    private boolean established;
    private boolean served;
    private boolean crashed;

    ConnectAttempt(int number, int client, int server, RunReport report) {
        this.number = number;
        this.name = "connection " + number + " from host" + client + " to host" + server;
        this.report = report;
    }

    int number() {
        return number;
    }

    /** The word that the client sends, and what the server adds to its answers. */
    int word() {
        return number * 0x9E37_79B9 | 1;
    }

    /** The server disconnects when its answer has arrived; otherwise the client when it has the answer. */
    boolean serverDisconnects() {
        return number % 2 == 0;
    }

    /** One of the hosts has crashed: after that both may see errors. */
    void crash() {
        crashed = true;
    }

    boolean hasCrashed() {
        return crashed;
    }

    boolean isEnded() {
        return end != End.OPEN;
    }

    /**
     * The server decides about the request. A request that it has rejected may come again, if the rejection was lost;
     * one that it has accepted may not.
     */
    void decide(Decision made) {
        if (decisions.contains(Decision.ACCEPT) && !crashed) {
            violation("the request came again after it was accepted");
        }
        decisions.add(made);
    }

    /** @param word private data of the server */
    void established(int word) {
        established = true;
        if (!decisions.contains(Decision.ACCEPT)) {
            violation("established, though the server has decided " + decisions);
        } else if (word != word()) {
            violation("accepted with 0x%08x, not with 0x%08x".formatted(word, word()));
        }
    }

    /** @param word private data of the server */
    void rejected(int reason, int word) {
        if (crashed) {
            return;
        }
        boolean asDecided = reason == CONSUMER
                && (decisions.contains(Decision.REJECT) && word == word()
                        || decisions.contains(Decision.CLOSE) && word == 0);
        if (!asDecided) {
            violation("rejected for reason %d with 0x%08x, though the server has decided %s"
                    .formatted(reason, word, decisions));
        }
    }

    /** The server has received the client's word. */
    void served() {
        served = true;
    }

    void end(End how) {
        if (isEnded()) {
            violation("ended as " + end + ", and again as " + how);
        }
        if (how == End.DISCONNECTED && !crashed && !(established && served)) {
            violation("disconnected before the words were exchanged");
        }
        end = how;
    }

    void violation(String what) {
        report.violation(name + ": " + what);
    }

    @Override
    public String toString() {
        return name + ", " + decisions + ", " + end;
    }
}
