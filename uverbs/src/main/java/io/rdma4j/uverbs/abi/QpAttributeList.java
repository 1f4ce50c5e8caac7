// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.abi;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/** Lists the queue pair attributes in their order in commands. */
final class QpAttributeList {
    private QpAttributeList() {}

    private static EnumSet<CommandAttribute> all() {
        return EnumSet.range(CommandAttribute.QP_MASK, CommandAttribute.QP_RATE_LIMIT);
    }

    static List<CommandAttribute> behind(CommandAttribute first) {
        List<CommandAttribute> list = new ArrayList<>(List.of(first));
        list.addAll(all());
        return List.copyOf(list);
    }

    static List<CommandAttribute> withDraining() {
        List<CommandAttribute> list = new ArrayList<>(all());
        list.add(CommandAttribute.QP_SQ_DRAINING);
        return List.copyOf(list);
    }
}
