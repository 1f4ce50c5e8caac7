/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of enumerations and conversions of rates. TextsTest compares them with the enumerations in Java. */
#include "rdma4j.h"

#define TEXTS(name, ...) \
	PUBLIC const char *name(int number) \
	{ \
		static const char *const texts[] = { __VA_ARGS__ }; \
		return number >= 0 && (size_t) number < sizeof texts / sizeof *texts ? texts[number] : "unknown"; \
	}

TEXTS(ibv_wc_status_str,
	"success", "local length error", "local QP operation error", "local EE context operation error",
	"local protection error", "Work Request Flushed Error", "memory management operation error", "bad response error",
	"local access error", "remote invalid request error", "remote access error", "remote operation error",
	"transport retry counter exceeded", "RNR retry counter exceeded", "local RDD violation error",
	"remote invalid RD request", "aborted error", "invalid EE context number", "invalid EE context state",
	"fatal error", "response timeout error", "general error", "TM error", "TM software rendezvous")

TEXTS(ibv_event_type_str,
	"CQ error", "local work queue catastrophic error", "invalid request local work queue error",
	"local access violation work queue error", "communication established", "send queue drained", "path migrated",
	"path migration request error", "local catastrophic error", "port active", "port error", "LID change",
	"P_Key change", "SM change", "SRQ catastrophic error", "SRQ limit reached", "last WQE reached",
	"client reregistration", "GID table change", "WQ fatal", "device speed change")

TEXTS(ibv_node_type_str,
	"unknown", "InfiniBand channel adapter", "InfiniBand switch", "InfiniBand router", "iWARP NIC", "usNIC",
	"usNIC UDP", "unspecified")

TEXTS(ibv_port_state_str,
	"no state change (NOP)", "down", "init", "armed", "active", "active defer")

/* --- rates: number, multiple of 2.5 Gbit/s, Mbit/s --- */

static const struct rate { int code, multiple, mbps; } rates[] = {
	{ 2, 1, 2500 }, { 5, 2, 5000 }, { 3, 4, 10000 }, { 6, 8, 20000 }, { 4, 12, 30000 }, { 7, 16, 40000 },
	{ 8, 24, 60000 }, { 9, 32, 80000 }, { 10, 48, 120000 }, { 11, 6, 14062 }, { 12, 22, 56250 }, { 13, 45, 112500 },
	{ 14, 67, 168750 }, { 15, 10, 25781 }, { 16, 40, 103125 }, { 17, 80, 206250 }, { 18, 120, 309375 },
	{ 19, 11, 28125 }, { 20, 20, 53125 }, { 21, 160, 425000 }, { 22, 240, 637500 }
};

#define CONVERT(from, value, to, otherwise) \
	for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) \
		if (rates[i].from == (value)) \
			return rates[i].to; \
	return otherwise

PUBLIC int ibv_rate_to_mult(int rate) { CONVERT(code, rate, multiple, -1); }
PUBLIC int ibv_rate_to_mbps(int rate) { CONVERT(code, rate, mbps, -1); }
PUBLIC int mult_to_ibv_rate(int multiple) { CONVERT(multiple, multiple, code, 0); }
PUBLIC int mbps_to_ibv_rate(int mbps) { CONVERT(mbps, mbps, code, 0); }
