"""The guest's side of a verbs scenario: commands from standard input, a line each, answers to standard output. The words are
those of the Javadoc of package io.rdma4j.interop.peer; objects live until the next "open"."""
import ctypes
import errno
import glob
import ipaddress
import os
import socket
import sys
import time
import zlib

import pyverbs.enums as e
from cm import Connections
from pyverbs.addr import AH, GID, AHAttr, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR, MW, MWBind, MWBindInfo
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsError, PyverbsRDMAError
from pyverbs.qp import QPAttr, QPCap, QPEx, QPInitAttrEx
from pyverbs.wr import SGE, RecvWR, SendWR

QKEY = 0x11111111
DEPTH = 64
PORT = 1
TYPES = {"RC": e.IBV_QPT_RC, "UC": e.IBV_QPT_UC, "UD": e.IBV_QPT_UD}
OPCODES = {
    "SEND": e.IBV_WR_SEND, "SEND_WITH_IMM": e.IBV_WR_SEND_WITH_IMM, "SEND_WITH_INV": e.IBV_WR_SEND_WITH_INV,
    "RDMA_WRITE": e.IBV_WR_RDMA_WRITE, "RDMA_WRITE_WITH_IMM": e.IBV_WR_RDMA_WRITE_WITH_IMM,
    "RDMA_READ": e.IBV_WR_RDMA_READ, "ATOMIC_CMP_AND_SWP": e.IBV_WR_ATOMIC_CMP_AND_SWP,
    "ATOMIC_FETCH_AND_ADD": e.IBV_WR_ATOMIC_FETCH_AND_ADD}
# rxe tells user programs the kernel's number of this flag, which to them says that the IP checksum is right.
KERNEL_WC_WITH_INV = 1 << 2
NAMES = {**errno.errorcode, errno.EOPNOTSUPP: "EOPNOTSUPP"}
ATOMICS = ("ATOMIC_CMP_AND_SWP", "ATOMIC_FETCH_AND_ADD")


def pattern(length, seed):
    """The same as in Java: repeats after 251 bytes, a number that divides no packet's length."""
    block = bytes((i + seed) & 0xFF for i in range(251))
    return (block * (length // 251 + 1))[:length]


class Peer(Connections):
    context = None

    def do_open(self, device, type, address, bytes, access):
        if self.context:
            # rxe waits 50 seconds before it destroys a queue pair to which a window is bound
            for window in self.windows:
                window.close()
            self.context.close()
        self.device = device
        self.type = type
        self.context = Context(name=device)
        self.pd = PD(self.context)
        self.cq = CQ(self.context, 2 * DEPTH)
        self.region = MR(self.pd, bytes, access)
        self.windows, self.keep = [], []
        operations = e.IBV_QP_EX_WITH_SEND
        if type == "RC" and hasattr(e, "IBV_QP_EX_WITH_ATOMIC_WRITE"):
            operations |= e.IBV_QP_EX_WITH_ATOMIC_WRITE
        if type == "RC" and hasattr(QPEx, "wr_flush"):
            operations |= e.IBV_QP_EX_WITH_FLUSH
        self.qp = QPEx(self.context, QPInitAttrEx(
            qp_type=TYPES[type], scq=self.cq, rcq=self.cq, pd=self.pd, cap=QPCap(DEPTH, DEPTH, 2, 1),
            send_ops_flags=operations, comp_mask=e.IBV_QP_INIT_ATTR_PD | e.IBV_QP_INIT_ATTR_SEND_OPS_FLAGS))
        self.gid_index, gid = self.find_gid(address)
        self.psn = int.from_bytes(os.urandom(3), "big")
        return dict(qpn=self.qp.qp_num, psn=self.psn, gid=gid, rkey=self.region.rkey, address=self.region.buf)

    def find_gid(self, address):
        parsed = ipaddress.ip_address(address)
        wanted = parsed if parsed.version == 6 else ipaddress.ip_address("::ffff:" + address)
        directory = "/sys/class/infiniband/%s/ports/%d/gids/" % (self.device, PORT)
        for index in range(16):
            with open(directory + str(index)) as file:
                gid = file.read().strip()
            if ipaddress.ip_address(gid) == wanted:
                return index, gid
        raise ValueError("no GID of " + address)

    def do_serve(self, address):
        return {}

    def do_connect(self, qpn, psn, gid, mtu=0, timeout=0, retries=0, rnr_retries=0, rnr_timer=0, qkey=QKEY):
        route = GlobalRoute(dgid=GID(ipaddress.ip_address(gid).exploded), sgid_index=self.gid_index, hop_limit=64)
        path = AHAttr(gr=route, is_global=1, port_num=PORT)
        attributes = QPAttr(port_num=PORT)
        if self.type == "UD":
            attributes.qkey = self.qkey = qkey
            attributes.sq_psn = self.psn
            self.qp.to_rts(attributes)
            self.destination = AH(self.pd, attr=path), qpn
            return {}
        attributes.dest_qp_num = qpn
        attributes.path_mtu = {256: 1, 512: 2, 1024: 3, 2048: 4, 4096: 5}[mtu]
        attributes.rq_psn = psn
        attributes.sq_psn = self.psn
        attributes.ah_attr = path
        attributes.qp_access_flags = (e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_REMOTE_WRITE)
        if self.type == "RC":
            attributes.qp_access_flags |= e.IBV_ACCESS_REMOTE_READ | e.IBV_ACCESS_REMOTE_ATOMIC | 3 << 8
            attributes.max_rd_atomic = attributes.max_dest_rd_atomic = 16
            attributes.timeout = timeout
            attributes.retry_cnt = retries
            attributes.rnr_retry = rnr_retries
            attributes.min_rnr_timer = rnr_timer
        self.qp.to_rts(attributes)
        return {}

    def do_receive(self, id, offset, length):
        self.qp.post_recv(RecvWR(
            wr_id=id, num_sge=1, sg=[SGE(self.region.buf + offset, length, self.region.lkey)]))
        return {}

    def do_post(self, op, id, offset=0, length=0, remote=0, rkey=0, imm=0, compare=0, swap=0):
        if op == "ATOMIC_WRITE":
            return self.extended(id, lambda: self.qp.wr_atomic_write(
                rkey, remote, ctypes.string_at(self.region.buf + offset, 8)))
        if op == "FLUSH":
            if not hasattr(self.qp, "wr_flush"):
                raise PyverbsRDMAError("this rdma-core has no ibv_wr_flush", errno.EOPNOTSUPP)
            return self.extended(id, lambda: self.qp.wr_flush(rkey, remote, length, e.IBV_FLUSH_GLOBAL, e.IBV_FLUSH_RANGE))
        data = rkey if op == "SEND_WITH_INV" else socket.htonl(imm)
        request = SendWR(wr_id=id, opcode=OPCODES[op], num_sge=1, imm_data=data, send_flags=e.IBV_SEND_SIGNALED,
                         sg=[SGE(self.region.buf + offset, length, self.region.lkey)])
        if op in ATOMICS:
            request.set_wr_atomic(rkey, remote, compare, swap)
        elif self.type == "UD":
            request.set_wr_ud(self.destination[0], self.destination[1], self.qkey)
        else:
            request.set_wr_rdma(rkey, remote)
        self.qp.post_send(request)
        return {}

    def extended(self, id, operation):
        self.qp.wr_start()
        self.qp.wr_id = id
        self.qp.wr_flags = e.IBV_SEND_SIGNALED
        operation()
        self.qp.wr_complete()
        return {}

    def do_poll(self, ms):
        end = time.monotonic() + ms / 1000
        while True:
            count, completions = self.cq.poll(1)
            if count:
                wc = completions[0]
                imm = 0
                if wc.wc_flags & e.IBV_WC_WITH_IMM:
                    imm = socket.ntohl(wc.imm_data & 0xFFFFFFFF)
                elif wc.wc_flags & (e.IBV_WC_WITH_INV | KERNEL_WC_WITH_INV):
                    imm = wc.imm_data & 0xFFFFFFFF
                return dict(status=wc.status, id=wc.wr_id, bytes=wc.byte_len, imm=imm)
            if time.monotonic() > end:
                return dict(status=-1)
            time.sleep(0.001)

    def do_window(self, kind, id, offset, length, access):
        window = MW(self.pd, kind)
        info = MWBindInfo(self.region, self.region.buf + offset, length, access)
        self.windows.append(window)
        self.keep.append(info)
        if kind == e.IBV_MW_TYPE_1:
            self.qp.bind_mw(window, MWBind(info, wr_id=id, send_flags=e.IBV_SEND_SIGNALED))
            return dict(rkey=window.rkey)
        request = SendWR(wr_id=id, opcode=e.IBV_WR_BIND_MW, send_flags=e.IBV_SEND_SIGNALED)
        request.set_bind_wr(window, info)
        self.qp.post_send(request)
        return dict(rkey=request.rkey)

    def do_region(self, offset, length, access):
        region = MR(self.pd, length, access, address=self.region.buf + offset)
        self.keep.append(region)
        return dict(rkey=region.rkey)

    def do_fill(self, offset, length, seed):
        ctypes.memmove(self.region.buf + offset, pattern(length, seed), length)
        return {}

    def do_set(self, offset, value):
        ctypes.c_uint64.from_address(self.region.buf + offset).value = value
        return {}

    def do_get(self, offset):
        return dict(value=ctypes.c_uint64.from_address(self.region.buf + offset).value)

    def do_crc(self, offset, length):
        return dict(crc=zlib.crc32(ctypes.string_at(self.region.buf + offset, length)))

    def do_counters(self):
        values = {}
        for file in glob.glob("/sys/class/infiniband/%s/ports/%d/hw_counters/*" % (self.device, PORT)):
            with open(file) as counter:
                values[os.path.basename(file)] = int(counter.read())
        return values

    def do_state(self):
        return dict(state=self.qp.query(e.IBV_QP_STATE)[0].qp_state)


def value(text):
    return int(text) if text.lstrip("-").isdigit() else text


peer = Peer()
print("ready", flush=True)
for command in sys.stdin:
    words = command.split()
    try:
        arguments = dict(word.split("=", 1) for word in words[1:])
        answer = getattr(peer, "do_" + words[0])(**{name: value(text) for name, text in arguments.items()})
        print("ok", *("%s=%s" % item for item in answer.items()), flush=True)
    except PyverbsRDMAError as error:
        print("error", NAMES.get(abs(error.error_code), "EIO"), str(error).replace("\n", " "), flush=True)
    except (PyverbsError, ValueError, TypeError, KeyError, OSError) as error:
        print("error EINVAL", repr(error).replace("\n", " "), flush=True)
