// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Generates the drawings of a Markdown page from the golden files of the state machines. */
final class StateDrawings {
    private static final Pattern CELL = Pattern.compile("(\\w+) +(\\w+) -> (\\w+) +(yes|no)(.*)");
    private static final Pattern REQUIRED = Pattern.compile("required (\\S+)");
    private static final Pattern OPTIONAL = Pattern.compile("optional (\\S+)");
    private static final Pattern ARROW = Pattern.compile(" {2}(\\w+) -> (\\w+)( \\[style=dashed])?");
    private static final Pattern RESULT = Pattern.compile(" {2}(\\w+) \\[shape=ellipse, label=\"([^\"]*)\"]");

    /** Kind, trigger, state, next state, action. */
    private static final Pattern STEP = Pattern.compile("(\\w+) +(\\w+) +(\\w+) -> (\\w+) +(\\w+)");

    private StateDrawings() {}

    /**
     * Returns the life cycle as a diagram, without the transitions to RESET and ERR.
     *
     * @param matrix the golden file: a line for each type and pair of states
     */
    static String lifeCycle(String matrix) {
        Map<String, List<String>> arrows = new LinkedHashMap<>();
        List<String> types = new ArrayList<>();
        for (Matcher cell : cells(matrix)) {
            if (!types.contains(cell.group(1))) {
                types.add(cell.group(1));
            }
            if (isArrow(cell)) {
                arrows.computeIfAbsent(cell.group(2) + " --> " + cell.group(3), key -> new ArrayList<>())
                        .add(cell.group(1));
            }
        }
        StringBuilder text = new StringBuilder("```mermaid\nstateDiagram-v2\n    direction LR\n");
        arrows.forEach((arrow, of) -> text.append("    ")
                .append(arrow)
                .append(of.equals(types) ? "" : " : " + String.join(", ", of))
                .append('\n'));
        return text.append("```\n").toString();
    }

    /** Returns a table of required and optional attributes for each transition of {@link #lifeCycle}, for one type. */
    static String attributes(String matrix, String type) {
        StringBuilder text = new StringBuilder("| from | to | required | optional |\n|---|---|---|---|\n");
        for (Matcher cell : cells(matrix)) {
            if (cell.group(1).equals(type) && isArrow(cell)) {
                text.append("| " + cell.group(2) + " | " + cell.group(3) + " | " + names(REQUIRED, cell.group(5))
                        + " | " + names(OPTIONAL, cell.group(5)) + " |\n");
            }
        }
        return text.toString();
    }

    /** True for a valid transition whose target is neither RESET nor ERR, which are valid from all states. */
    private static boolean isArrow(Matcher cell) {
        return cell.group(4).equals("yes")
                && !cell.group(3).equals("RESET")
                && !cell.group(3).equals("ERR");
    }

    private static List<Matcher> cells(String matrix) {
        return matrix.lines().map(CELL::matcher).filter(Matcher::matches).toList();
    }

    private static String names(Pattern kind, String attributes) {
        Matcher found = kind.matcher(attributes);
        return found.find() ? found.group(1).replace("|", ", ") : "";
    }

    /** Converts a ladder from Graphviz to a flowchart. */
    static String ladder(String dot) {
        return dot.lines()
                .map(StateDrawings::flow)
                .collect(Collectors.joining("", "```mermaid\nflowchart TD\n", "```\n"));
    }

    private static String flow(String line) {
        Matcher arrow = ARROW.matcher(line);
        if (arrow.matches()) {
            return "    " + arrow.group(1) + (arrow.group(3) == null ? " --> " : " -.-> ") + arrow.group(2) + "\n";
        }
        Matcher result = RESULT.matcher(line);
        return result.matches()
                ? "    " + result.group(1) + "([\"" + result.group(2).replace("\\n", "<br>") + "\"])\n"
                : "";
    }

    /**
     * Returns the states of a connection, or those of its alternate path, as a diagram. A call that destroys the id is
     * left out, because it is valid in every state.
     *
     * @param steps the golden file: a line for each trigger and state
     */
    static String connection(String steps, boolean isAlternatePath) {
        Map<String, List<String>> arrows = new LinkedHashMap<>();
        steps.lines().map(STEP::matcher).filter(Matcher::matches).forEach(step -> {
            boolean isArrow = step.group(5).equals("PROCEED") && !step.group(3).equals(step.group(4));
            if (isArrow && step.group(3).contains("LAP_") == isAlternatePath) {
                arrows.computeIfAbsent(step.group(3) + " --> " + step.group(4), _ -> new ArrayList<>())
                        .add(step.group(2));
            }
        });
        StringBuilder text = new StringBuilder("```mermaid\nstateDiagram-v2\n");
        arrows.forEach((arrow, triggers) -> text.append("    " + arrow + " : " + String.join(", ", triggers) + "\n"));
        return text.append("```\n").toString();
    }

    /** Returns the lines that {@link #connection} does not draw. */
    static String connectionRest(String steps) {
        return table(steps.lines()
                .filter(line -> !line.endsWith(" PROCEED"))
                .map(line -> line + "\n")
                .collect(Collectors.joining()));
    }

    /** Draws the transitions of an id of rdma_cm: those that nearly all states have stand in the text. */
    static String ids(String steps) {
        Map<String, List<String>> arrows = new LinkedHashMap<>();
        steps.lines().map(line -> line.trim().split("\\s+")).forEach(words -> {
            String trigger = words[1];
            boolean isCommon = trigger.equals("DESTROY") || trigger.equals("DEVICE_REMOVED");
            if (!isCommon && !words[2].equals(words[4])) {
                arrows.computeIfAbsent(words[2] + " --> " + words[4], _ -> new ArrayList<>())
                        .add(trigger);
            }
        });
        StringBuilder text = new StringBuilder("```mermaid\nstateDiagram-v2\n");
        arrows.forEach((arrow, triggers) -> text.append("    " + arrow + " : " + String.join(", ", triggers) + "\n"));
        return text.append("```\n").toString();
    }

    /** Formats a text table as a code block. */
    static String table(String text) {
        return "```\n" + text + "```\n";
    }
}
