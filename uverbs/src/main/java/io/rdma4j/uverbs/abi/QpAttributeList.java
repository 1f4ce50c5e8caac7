package io.rdma4j.uverbs.abi;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/** The attributes of queue pairs in the order in which commands have them. */
final class QpAttributeList {
    private QpAttributeList() {}

    private static EnumSet<Attribute> all() {
        return EnumSet.range(Attribute.QP_MASK, Attribute.QP_RATE_LIMIT);
    }

    static List<Attribute> behind(Attribute first) {
        List<Attribute> list = new ArrayList<>(List.of(first));
        list.addAll(all());
        return List.copyOf(list);
    }

    static List<Attribute> withDraining() {
        List<Attribute> list = new ArrayList<>(all());
        list.add(Attribute.QP_SQ_DRAINING);
        return List.copyOf(list);
    }
}
