# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""A model of the time per iteration of CG, block-Jacobi PCG and BiCGStab on P ranks, one device each, for a 7-point stencil.

  T(1) = kernels * kernel + bytes / bandwidth           kernels: products, vector passes, sums of partial sums
  T(P) = the same for rows / P, where each product is   pack + max(local, exchange) + boundary
         and each synchronization adds                  gather + sum over ranks

  exchange = setup + 2 bytes / host bandwidth (staged only) + max over the links of latency + bytes / bandwidth
  gather   = setup + hops * latency + P values / bandwidth + P additions in rank order

A synchronization is an all-gather of five doubles per rank: one per iteration in CG, two in PCG and BiCGStab. Not modelled:
caches (vectors of less than about 40 MB are read faster), contention in the network, one launch for all iterations.

Seconds and bytes everywhere. Each parameter has its origin: [m] measured on one or two H200 of one host (CUDA 13.0),
[s] published, [a] assumed. The results are computed, not measured."""
import dataclasses
import math

VALUE = 8  # bytes of a double
GATHERED = 5  # doubles per rank and synchronization
PACK = 20  # bytes per packed entry: its index (4), read (8), written (8)
BOUNDARY = 56  # bytes per ghost entry: value and column (12), ghost (8), row number and offset (12), y twice and p (24)
INFINITE = math.inf


@dataclasses.dataclass(frozen=True)
class Device:
    name: str
    bandwidth: float  # of memory
    graph_kernel: float  # fixed time of a pass or a sum in a captured graph: its launch and its latency
    launched_kernel: float  # the same with launches
    addition: float  # of the values of one rank to the totals


@dataclasses.dataclass(frozen=True)
class Link:
    """From a rank to others over one medium."""
    latency: float = 0  # of a message
    bandwidth: float = INFINITE
    message: float = 0  # per additional message at the same time
    hop: float = 0  # of a small all-gather
    exchange_setup: float = 0
    gather_setup: float = 0


@dataclasses.dataclass(frozen=True)
class Transport:
    name: str
    inside: Link  # within a node
    between: Link  # between nodes
    host_bandwidth: float = INFINITE  # staged transports copy to the host and back
    in_graph: bool = True
    direct: bool = False  # within a node all ranks store into all others: one hop
    ring: bool = False  # the all-gather takes P - 1 hops instead of log2 P
    fence: float = 0  # of the host, per iteration


@dataclasses.dataclass(frozen=True)
class Method:
    name: str
    products: int
    vectors: int  # n-vectors, including two per product
    passes: int  # besides the products
    synchronizations: int  # launches that add partial sums; each gathers once
    prologue_rows: int = 0  # up to here, on one device, the next pass adds them
    matrix: int = 7 * VALUE  # bytes of the matrix per row: 7 diagonals (DIA)


@dataclasses.dataclass(frozen=True)
class Halo:
    """The largest part of a partition, and what its rank receives and sends."""
    rows: int
    ghosts: int = 0
    neighbours: int = 0
    ghosts_between: int = 0  # of these from other nodes
    neighbours_between: int = 0


H200 = Device("H200", bandwidth=4.08e12,  # [m] copy, in the runs of the solvers
              graph_kernel=4.0e-6,  # [m] 10^5 rows, CG in a graph: 11 us per iteration of two passes
              launched_kernel=5.0e-6,  # [m] a small product, back to back
              addition=40e-9)  # [a] one thread, 270 cycles of the second-level cache at 1.7 GHz per four ranks
STAGED_ADDITION = 2.4e-9  # [a] the same with the values read by a team first: 4 cycles

NODE = 8  # [a] devices per node
NDR = {"bandwidth": 50e9}  # [s] 400 Gb/s per device (Azure HBv4)
NETWORK_MPI = 2e-6  # [s] below 2 us (Azure HBv4, NDR)
NETWORK_NCCL = 5e-6  # [s] per hop, LL protocol (NCCL, hwLat in its tuning.cc)
NVLINK_NCCL = 0.6e-6  # [s] per hop, LL protocol (the same)
NCCL_GATHER, NCCL_GATHER_GRAPH = 26e-6, 10.9e-6  # [m] all-reduce of 8 B to 8 kB on two devices: eager, in a graph
NCCL_512K = 52e-6  # [m] send and receive of 512 kB, eager
COPY_512K = 160e9  # [m] copy of 512 kB to the other device
FLAG = 2.64e-6 / 2  # [m] half the round trip of a flag in the memory of the other device
READ_BACK = 10.8e-6  # [m] a kernel and 8 bytes to the host
LAUNCH = 2.6e-6  # [m]

NCCL_EXCHANGE = NCCL_512K - 512 * 1024 / COPY_512K  # the part that does not depend on the size

STAGED = Transport(
    "mpi", host_bandwidth=45e9, in_graph=False, fence=READ_BACK,  # [m] 43 to 46 GB/s, pinned
    inside=Link(1e-6, 10e9, 0.5e-6, 1e-6, READ_BACK + LAUNCH, READ_BACK + LAUNCH),  # [a] shared memory of the host
    between=Link(NETWORK_MPI, **NDR, message=0.5e-6, hop=NETWORK_MPI))
NCCL = Transport(
    "nccl", in_graph=False,
    inside=Link(0, COPY_512K, 0, NVLINK_NCCL, NCCL_EXCHANGE, NCCL_GATHER - NVLINK_NCCL),
    between=Link(NETWORK_NCCL, **NDR, hop=NETWORK_NCCL))
PEER = Transport(  # between nodes NCCL in a graph
    "peer", direct=True,
    inside=Link(FLAG, 180e9, 0, FLAG, 0, 1.5e-6 - FLAG),  # [m] 170 to 190 GB/s by stores; all-gather 1.5 us
    between=Link(NETWORK_NCCL, **NDR, hop=NETWORK_NCCL,
                 exchange_setup=NCCL_EXCHANGE - (NCCL_GATHER - NCCL_GATHER_GRAPH),
                 gather_setup=NCCL_GATHER_GRAPH - NVLINK_NCCL))
TRANSPORTS = (STAGED, NCCL, PEER)

CG = Method("CG", products=1, vectors=8, passes=1, synchronizations=1, prologue_rows=5 * 10**5)
PCG = Method("PCG", products=1, vectors=18, passes=4, synchronizations=2)  # M: inverse blocks of 4 rows, r, z
BICGSTAB = Method("BiCGStab", products=2, vectors=17, passes=2, synchronizations=2)
METHODS = (CG, PCG, BICGSTAB)


def factors(number, count=3):
    """All tuples of `count` positive integers with this product."""
    if count == 1:
        return [(number,)]
    return [(first, *rest) for first in range(1, number + 1) if number % first == 0
            for rest in factors(number // first, count - 1)]


def split_blocks(grid, ranks, node=NODE):
    """Blocks of a 3-D grid with the fewest ghosts; the ranks of a node form a block of blocks."""
    def sides(parts):
        return [-(-n // p) for n, p in zip(grid, parts)]

    def areas(parts):
        block = sides(parts)
        return [math.prod(block) // side for side in block]

    def faces(parts):
        return [min(2, p - 1) for p in parts]

    def ghosts(parts):
        return sum(n * area for n, area in zip(faces(parts), areas(parts)))

    fitting = [parts for parts in factors(ranks) if all(p <= n for p, n in zip(parts, grid))]
    parts = min(fitting, key=lambda p: (math.prod(sides(p)), ghosts(p)))
    rows, count, area = math.prod(sides(parts)), faces(parts), areas(parts)
    if ranks <= node:
        return Halo(rows, ghosts(parts), sum(count))
    choices = [[0 if n == p else total - min(1, n - 1) for n, p, total in zip(nodes, parts, count)]
               for nodes in factors(node) if all(n <= p for n, p in zip(nodes, parts))]
    between = min(choices, key=lambda f: sum(n * a for n, a in zip(f, area)))
    return Halo(rows, ghosts(parts), sum(count), sum(n * a for n, a in zip(between, area)), sum(between))


def split_rows(grid, ranks, node=NODE):
    """Contiguous rows of a grid in lexicographic order: slabs, and less than a plane per rank on many ranks. Ghosts of a
    part that begins within a grid line are counted as if all its rows had all neighbours."""
    rows = -(-math.prod(grid) // ranks)
    needed = sorted((-stride, min(0, rows - stride)) for stride in (1, grid[0], grid[0] * grid[1]))  # before row 0 of the part
    ghosts, end = {}, -INFINITE  # by the distance of their rank
    for first, last in needed:
        first, end = max(first, end), max(last, end)
        for distance in range(-((last - 1) // rows), -(first // rows) + 1) if first < last else ():
            count = min(last, (1 - distance) * rows) - max(first, -distance * rows)
            ghosts[distance] = ghosts.get(distance, 0) + count
    ghosts = {distance: count for distance, count in ghosts.items() if distance < ranks}
    far = {distance: count for distance, count in ghosts.items() if distance >= node}
    sides = min(2, ranks - 1)
    if ranks <= node:
        return Halo(rows, sides * sum(ghosts.values()), sides * len(ghosts))
    return Halo(rows, 2 * sum(ghosts.values()), 2 * len(ghosts),  # the first rank of a node: all before it are outside
                sum(ghosts.values()) + sum(far.values()), len(ghosts) + len(far))


def kernel(device, transport, ranks):
    return device.graph_kernel if ranks == 1 or transport.in_graph else device.launched_kernel


def wire(link, ghosts, neighbours):
    return link.latency + ghosts * VALUE / link.bandwidth + (neighbours - 1) * link.message if neighbours else 0


def exchange(transport, halo):
    """From the packed entries to the ghosts."""
    inside, between = halo.neighbours - halo.neighbours_between, halo.neighbours_between
    setup = max(transport.inside.exchange_setup if inside else 0, transport.between.exchange_setup if between else 0)
    if transport.host_bandwidth < INFINITE:  # the setup is on the host, whatever the link
        setup = transport.inside.exchange_setup
    return setup + 2 * halo.ghosts * VALUE / transport.host_bandwidth + max(
        wire(transport.inside, halo.ghosts - halo.ghosts_between, inside),
        wire(transport.between, halo.ghosts_between, between))


def gather(transport, device, ranks, node=NODE):
    """From the sums of a rank to the totals of all ranks."""
    if ranks == 1:
        return 0
    nodes = -(-ranks // node)
    steps = {"inside": min(ranks, node) - 1, "between": nodes - 1}
    if not transport.ring:
        steps = {link: math.ceil(math.log2(1 + count)) for link, count in steps.items()}
        if transport.direct:
            steps["inside"] = 1
    link = transport.between if nodes > 1 else transport.inside
    return (transport.inside.gather_setup + steps["inside"] * transport.inside.hop +
            (transport.between.gather_setup if nodes > 1 else 0) + steps["between"] * transport.between.hop +
            (ranks - 1) * GATHERED * VALUE / link.bandwidth + ranks * device.addition)


def iteration(method, device, rows):
    """T(1): seconds per iteration on one device."""
    moved = method.products * method.matrix + method.vectors * VALUE
    kernels = method.products + method.passes + (method.synchronizations if rows > method.prologue_rows else 0)
    return kernels * device.graph_kernel + rows * moved / device.bandwidth


def distributed_iteration(method, device, transport, halo, ranks, node=NODE, overlap=True):
    """T(P)."""
    if ranks == 1:
        return iteration(method, device, halo.rows)
    fixed = kernel(device, transport, ranks)
    local = fixed + halo.rows * (method.matrix + 2 * VALUE) / device.bandwidth
    messages = exchange(transport, halo)
    # A direct transport packs in the exchange and gathers in the launch that adds partial sums, which does the boundary rows.
    separate = 0 if transport.direct else fixed
    product = separate + halo.ghosts * (PACK + BOUNDARY) / device.bandwidth + (
        max(local, messages) if overlap else local + messages)
    vectors = ((method.passes + method.synchronizations) * fixed +
               halo.rows * (method.vectors - 2 * method.products) * VALUE / device.bandwidth)
    return (method.products * product + vectors + transport.fence +
            method.synchronizations * (separate + gather(transport, device, ranks, node)))


def strong(method, device, transport, grid, ranks, split=split_blocks, **options):
    """(T(P), parallel efficiency T(1) / (P T(P))) for a fixed grid."""
    time = distributed_iteration(method, device, transport, split(grid, ranks), ranks, **options)
    return time, iteration(method, device, math.prod(grid)) / (ranks * time)


def weak(method, device, transport, grid, ranks, split=split_blocks, **options):
    """(T(P), T(1) / T(P)) for this grid per rank."""
    parts = min(factors(ranks), key=lambda p: (max(p), p))
    whole = tuple(n * p for n, p in zip(grid, sorted(parts)))
    time = distributed_iteration(method, device, transport, split(whole, ranks), ranks, **options)
    return time, iteration(method, device, math.prod(grid)) / time
