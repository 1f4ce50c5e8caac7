// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.devtools;

import io.rdma4j.interop.subnet.SubnetPrograms;
import io.rdma4j.interop.subnet.SubnetResult;
import io.rdma4j.interop.subnet.SubnetScenarios;
import io.rdma4j.netlab.command.shell.Json;
import io.rdma4j.tools.ToolProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;

/** Plays the scenarios of subnets, and prints their results. */
final class SubnetInterop {
    private static final Duration DOWNLOAD = Duration.ofMinutes(10);

    private SubnetInterop() {}

    /** Returns whether each scenario passed. */
    static Map<String, Boolean> play(Predicate<String> chosen, boolean json, PrintWriter out, PrintWriter err)
            throws IOException, InterruptedException {
        SubnetPrograms programs = SubnetPrograms.ofUser();
        if (!programs.isComplete()) {
            err.println("interop: unpacking OpenSM and infiniband-diags into " + programs.directory());
            programs.unpack(DOWNLOAD);
        }
        List<SubnetResult> results = new ArrayList<>();
        new SubnetScenarios(programs, ToolProcess.jvm(), result -> {
                    results.add(result);
                    if (!json) {
                        out.println(line(result));
                        out.flush();
                    }
                })
                .play(chosen);
        if (json) {
            out.println(Json.text(results.stream().map(SubnetInterop::json).toList()));
        }
        Map<String, Boolean> passed = new LinkedHashMap<>();
        results.forEach(result -> passed.put(result.scenario(), result.isGood()));
        return passed;
    }

    private static String line(SubnetResult result) {
        return String.format(
                Locale.ROOT,
                "%-52s %s %6.1f s  %s",
                result.scenario(),
                result.isGood() ? "PASS" : "FAIL",
                result.millis() / 1e3,
                result.detail());
    }

    private static Map<String, Object> json(SubnetResult result) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("scenario", result.scenario());
        members.put("outcome", result.isGood() ? "PASS" : "FAIL");
        members.put("detail", result.detail());
        members.put("ms", result.millis());
        return members;
    }
}
