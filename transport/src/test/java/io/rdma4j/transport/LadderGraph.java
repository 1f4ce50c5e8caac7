// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Draws a ladder in the language of Graphviz: steps as boxes in their order, what else they may say as ellipses. */
final class LadderGraph {
    private final String name;
    private final String start;
    private final List<Enum<?>> steps = new ArrayList<>();
    private final List<Set<? extends Enum<?>>> objections = new ArrayList<>();
    private final StringBuilder results = new StringBuilder();

    /** @param start what comes in */
    LadderGraph(String name, String start) {
        this.name = name;
        this.start = start;
    }

    /** Adds the next step and what it may say if it is not content. */
    void step(Enum<?> step, Set<? extends Enum<?>> said) {
        steps.add(step);
        objections.add(said);
    }

    /** Adds something that steps may say. */
    void result(Enum<?> result, String note) {
        results.append("  ")
                .append(node(result))
                .append(" [shape=ellipse, label=\"")
                .append(result);
        results.append(note.isEmpty() ? "" : "\\n" + note).append("\"]\n");
    }

    /** @param end what follows if all steps are content */
    String dot(String end) {
        StringBuilder dot = new StringBuilder("digraph " + name + " {\n  rankdir=TB\n  node [shape=box]\n");
        arrow(dot, start, steps.getFirst().name());
        for (int i = 0; i < steps.size(); i++) {
            String step = steps.get(i).name();
            arrow(dot, step, i + 1 < steps.size() ? steps.get(i + 1).name() : end);
            for (Enum<?> result : objections.get(i)) {
                arrow(dot, step, node(result) + " [style=dashed]");
            }
        }
        return dot.append(results).append("}\n").toString();
    }

    private static void arrow(StringBuilder dot, String from, String to) {
        dot.append("  ").append(from).append(" -> ").append(to).append('\n');
    }

    /** A step may have the same name as what it says. */
    private static String node(Enum<?> result) {
        return result.getDeclaringClass().getSimpleName().toLowerCase(Locale.ROOT) + "_" + result;
    }
}
