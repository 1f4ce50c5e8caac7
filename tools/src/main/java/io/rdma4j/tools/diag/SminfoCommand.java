// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.diag;

import io.rdma4j.netlab.command.shell.Json;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.verbs.Host;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.sm.SmInfo;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.io.PrintWriter;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** {@code sminfo}: reads or sets the attribute SMInfo of a subnet manager. */
public final class SminfoCommand extends DiagCommand {
    private static final int STANDBY = 2;
    private static final int MAX_PRIORITY = 15;
    private static final List<String> STATES =
            List.of("SMINFO_NOTACT", "SMINFO_DISCOVER", "SMINFO_STANDBY", "SMINFO_MASTER");

    /** @param host with the devices */
    public SminfoCommand(Supplier<Host> host) {
        super(
                "sminfo",
                "[options] [<sm_lid|sm_dr_path> [modifier]]      state of a subnet manager",
                host,
                "sK",
                Option.value('s', "state", "0-3", "set the state"),
                Option.value('p', "priority", "0-15", "set the priority"),
                Option.value('a', "activity", "val", "set the activity count"));
    }

    @Override
    int run(MadAccess mads, Options options, PrintWriter out, PrintWriter err) throws DiagFailure {
        atMostOperands(options, 2);
        List<String> operands = options.operands();
        MadTarget to = operands.isEmpty()
                ? MadTarget.ofLid(mads.port().smLid())
                : target(mads, options, operands.getFirst(), null);
        int modifier = operands.size() > 1 ? (int) number("modifier", operands.get(1)) : 0;
        MemorySegment wanted = MemorySegment.ofArray(new byte[Smp.DATA_BYTES]);
        SmInfo.ACT_COUNT.put(wanted, 0, options.number("activity", 0, 0, Integer.MAX_VALUE));
        SmInfo.PRIORITY.put(wanted, 0, options.number("priority", 0, 0, MAX_PRIORITY));
        SmInfo.STATE.put(wanted, 0, options.number("state", STANDBY, 0, STATES.size() - 1));
        MemorySegment info = mads.manage(
                "query", to, modifier == 0 ? MadMethod.GET : MadMethod.SET, MadAttribute.SM_INFO, modifier, wanted);
        int state = SmInfo.STATE.getInt(info, 0);
        String name = state < STATES.size() ? STATES.get(state) : "???";
        if (options.has("json")) {
            Map<String, Object> members = new LinkedHashMap<>();
            members.put("lid", to.lid());
            members.put("guid", "0x%x".formatted(SmInfo.GUID.get(info, 0)));
            members.put("activityCount", SmInfo.ACT_COUNT.get(info, 0));
            members.put("priority", SmInfo.PRIORITY.get(info, 0));
            members.put("state", name);
            out.println(Json.text(members));
        } else {
            out.println("sminfo: sm lid %d sm guid 0x%x, activity count %d priority %d state %d %s"
                    .formatted(
                            to.lid(),
                            SmInfo.GUID.get(info, 0),
                            SmInfo.ACT_COUNT.get(info, 0),
                            SmInfo.PRIORITY.get(info, 0),
                            state,
                            name));
        }
        return 0;
    }
}
