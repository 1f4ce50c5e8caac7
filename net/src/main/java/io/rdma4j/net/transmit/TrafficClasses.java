// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.transmit;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.Arrays;

/**
 * Assigns transmit queues to traffic: each priority belongs to a class, each class has a range of queues
 * ({@code netdev_set_num_tc} and related functions). Without classes, all traffic may use all queues. The control path
 * changes it while no thread runs the loop; the loop reads it.
 */
public final class TrafficClasses {
    /** {@code TC_MAX_QUEUE}. */
    public static final int MAX_CLASSES = 16;

    /** {@code TC_BITMASK}: the significant bits of a priority. */
    public static final int PRIORITY_MASK = 15;

    private final int allQueues;
    private final int[] counts = new int[MAX_CLASSES];
    private final int[] offsets = new int[MAX_CLASSES];
    private final int[] classOfPriority = new int[PRIORITY_MASK + 1];
    private int count;

    /** Creates no classes for a device with {@code allQueues} transmit queues. */
    TrafficClasses(int allQueues) {
        this.allQueues = allQueues;
    }

    /** {@return number of classes, 0 for none ({@code num_tc}, {@code netdev_get_num_tc})} */
    public int count() {
        return count;
    }

    /**
     * Sets the number of classes ({@code netdev_set_num_tc}).
     *
     * @param classes 0..16; 0 for none
     * @throws RdmaException EINVAL if not 0..16
     */
    public void count(int classes) {
        if (classes < 0 || classes > MAX_CLASSES) {
            throw new RdmaException(Errno.EINVAL, classes + " traffic classes are not in 0.." + MAX_CLASSES);
        }
        count = classes;
    }

    /** Restores the initial state without classes ({@code netdev_reset_tc}). */
    public void reset() {
        count = 0;
        Arrays.fill(counts, 0);
        Arrays.fill(offsets, 0);
        Arrays.fill(classOfPriority, 0);
    }

    /**
     * Sets a class's range of queues ({@code netdev_set_tc_queue}, {@code tc_to_txq}).
     *
     * @param trafficClass number of the class, from 0
     * @param firstQueue number of the first transmit queue, from 0
     * @param queueCount number of queues
     * @throws RdmaException EINVAL if there is no such class, or no such queue
     */
    public void queues(int trafficClass, int firstQueue, int queueCount) {
        checkClass(trafficClass);
        if (firstQueue < 0 || queueCount < 1 || firstQueue > allQueues - queueCount) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "queues " + firstQueue + ".." + (firstQueue + queueCount - 1) + " of class " + trafficClass
                            + ": the device has " + allQueues);
        }
        offsets[trafficClass] = firstQueue;
        counts[trafficClass] = queueCount;
    }

    /**
     * Sets the class of a priority ({@code netdev_set_prio_tc_map}).
     *
     * @param priority its lower four bits are significant
     * @param trafficClass number of the class, from 0
     * @throws RdmaException EINVAL if there is no such class
     */
    public void map(int priority, int trafficClass) {
        checkClass(trafficClass);
        classOfPriority[priority & PRIORITY_MASK] = trafficClass;
    }

    private void checkClass(int trafficClass) {
        if (trafficClass < 0 || trafficClass >= count) {
            throw new RdmaException(Errno.EINVAL, "traffic class " + trafficClass + " is not less than " + count);
        }
    }

    /**
     * {@return the class of a priority ({@code netdev_get_prio_tc_map}, {@code prio_tc_map})}
     *
     * @param priority its lower four bits are significant
     */
    public int classOf(int priority) {
        return classOfPriority[priority & PRIORITY_MASK];
    }

    /**
     * {@return the class of a queue ({@code netdev_txq_to_tc}), -1 if none}
     *
     * @param queue number of a transmit queue, from 0
     */
    public int classOfQueue(int queue) {
        for (int i = 0; i < count; i++) {
            if (queue >= offsets[i] && queue < offsets[i] + counts[i]) {
                return i;
            }
        }
        return -1;
    }

    /**
     * {@return first queue of a class}
     *
     * @param trafficClass number of the class, from 0
     */
    public int firstQueue(int trafficClass) {
        return offsets[trafficClass];
    }

    /**
     * {@return number of queues of a class; 0 if not set}
     *
     * @param trafficClass number of the class, from 0
     */
    public int queueCount(int trafficClass) {
        return counts[trafficClass];
    }
}
