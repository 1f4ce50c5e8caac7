package io.rdma4j.bench.peers;

import io.rdma4j.tools.plot.Plot;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The results as a page: how many times the limit everybody takes or reaches, row by row, and the table. Nothing is loaded from elsewhere. */
final class ResultPage {
    private static final String[] COLOURS = {
        "#d62728", "#1f77b4", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b", "#e377c2", "#17becf", "#bcbd22", "#7f7f7f"
    };

    private ResultPage() {}

    static String text(List<RowResult> results, int runs) {
        return """
                <!DOCTYPE html>
                <html lang="en"><head><meta charset="utf-8"><title>rdma4j beside others</title>
                <style>
                body { font: 15px sans-serif; margin: 2em } svg text { font: 12px sans-serif } .grid { stroke: #ddd }
                .curve { fill: none; stroke-width: 0 }
                </style></head><body>
                <h1>rdma4j beside others</h1>
                <h2>Times, as multiples of the limit's: less is better</h2>
                %s
                <h2>Rates, as multiples of the limit's: more is better</h2>
                %s
                <p>Medians of %d runs, everybody in turn.</p>
                <pre>%s</pre>
                </body></html>
                """.formatted(plot(results, false), plot(results, true), runs, escape(ResultTable.text(results)));
    }

    private static String plot(List<RowResult> all, boolean moreIsBetter) {
        List<RowResult> results = all.stream()
                .filter(result -> result.row().unit().moreIsBetter() == moreIsBetter)
                .toList();
        Set<String> names = new LinkedHashSet<>();
        results.forEach(result -> result.row().contenders().forEach(contender -> names.add(contender.name())));
        results.forEach(result -> names.remove(result.row().limit().name()));
        List<List<Double>> curves = names.stream()
                .map(name ->
                        results.stream().map(result -> multiple(result, name)).toList())
                .toList();
        double most = curves.stream()
                .flatMap(List::stream)
                .mapToDouble(value -> value)
                .max()
                .orElse(1);
        Plot plot = new Plot("", "× limit", Math.max(1, results.size() - 1), most);
        for (int i = 0; i < results.size(); i++) {
            plot.label(i, results.get(i).row().id());
        }
        List<String> ordered = new ArrayList<>(names);
        for (int i = 0; i < ordered.size(); i++) {
            plot.curve(ordered.get(i), COLOURS[i % COLOURS.length], curves.get(i));
        }
        return plot.svg();
    }

    /** How many times the limit; 0, which the plot leaves out, if not known. */
    private static double multiple(RowResult result, String name) {
        return result.row().contenders().stream()
                .filter(contender -> contender.name().equals(name))
                .mapToDouble(contender ->
                        result.median(contender) / result.median(result.row().limit()))
                .filter(Double::isFinite)
                .findFirst()
                .orElse(0);
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }
}
