package io.rdma4j.packet;

/** What a buffer knows of the network device it came in on or will leave by ({@code skb->dev}). */
public interface PacketDevice {
    /** {@return unique number of the interface on its host, from 1 ({@code dev->ifindex})} */
    int ifindex();

    /** {@return name of the interface ({@code dev->name})} */
    String name();
}
