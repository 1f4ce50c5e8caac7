// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Objects by number: a new one gets the smallest that is free, as in the kernel. Any thread. */
final class UcmaTable<T> {
    private final TreeMap<Integer, T> objects = new TreeMap<>();
    private final String kind;

    /** @param kind of the objects, for messages */
    UcmaTable(String kind) {
        this.kind = kind;
    }

    synchronized int add(T object) {
        int number = 0;
        while (objects.containsKey(number)) {
            number++;
        }
        objects.put(number, object);
        return number;
    }

    /** @throws RdmaException ENOENT if no object has the number */
    synchronized T get(int number) {
        T object = objects.get(number);
        if (object == null) {
            throw new RdmaException(Errno.ENOENT, "there is no " + kind + " " + number);
        }
        return object;
    }

    /** As {@link #get}; the number is free afterwards. */
    synchronized T remove(int number) {
        T object = get(number);
        objects.remove(number);
        return object;
    }

    /** The numbers of the objects that fulfil a condition, in ascending order. */
    synchronized List<Integer> numbers(Predicate<T> condition) {
        List<Integer> numbers = new ArrayList<>();
        objects.forEach((number, object) -> {
            if (condition.test(object)) {
                numbers.add(number);
            }
        });
        return numbers;
    }
}
