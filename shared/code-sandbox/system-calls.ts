import { endianness } from 'node:os';

/** What no metric needs and what an attack on the kernel or the machine begins with. Threads stay: Node is made of them. */
const refused = {
  x64: {
    architecture: 0xc000003e,
    clone: 56,
    // fork, vfork, ptrace, process_vm_readv, process_vm_writev
    processes: [57, 58, 101, 310, 311],
    // socket, socketpair, shmget, msgget, memfd_create, memfd_secret
    channels: [41, 53, 29, 68, 319, 447],
    // mount, umount2, pivot_root, chroot, unshare, setns, open_by_handle_at
    walls: [165, 166, 155, 161, 272, 308, 304],
    // init_module, finit_module, bpf, perf_event_open, userfaultfd, io_uring_*, add_key, request_key, keyctl
    kernel: [175, 313, 321, 298, 323, 425, 426, 427, 248, 249, 250],
  },
  arm64: {
    architecture: 0xc00000b7,
    clone: 220,
    processes: [117, 270, 271],
    channels: [198, 199, 194, 186, 279, 447],
    walls: [40, 39, 41, 51, 97, 268, 265],
    kernel: [105, 273, 280, 241, 282, 425, 426, 427, 217, 218, 219],
  },
};

// linux/bpf_common.h, linux/seccomp.h and the layout of struct seccomp_data.
const load = 0x20;
const jumpIfEqual = 0x15;
const jumpIfAtLeast = 0x35;
const jumpIfAnySet = 0x45;
const answer = 0x06;
const offsets = { number: 0, architecture: 4, firstArgument: 16 };
const allow = 0x7fff0000;
const kill = 0x80000000;
const fail = (errno: number) => 0x00050000 | errno;
const notPermitted = fail(1);
const notImplemented = fail(38);

const clone3 = 435;
const cloneThread = 0x10000;
/** The numbers of x32, a second way into the same calls. */
const x32 = 0x40000000;

type Instruction = [code: number, ifTrue: number, ifFalse: number, value: number];

/**
 * A seccomp filter (struct sock_filter, 8 bytes an instruction) under which there are threads but no new processes; `undefined` on
 * machines whose numbers we do not know. Calls of glibc for threads fall back from `clone3`, whose flags a filter cannot see.
 */
export function systemCallFilter(): Uint8Array | undefined {
  const machine = process.arch === 'x64' || process.arch === 'arm64' ? refused[process.arch] : undefined;
  if (!machine || endianness() !== 'LE') return undefined;
  const numbers = [...machine.processes, ...machine.channels, ...machine.walls, ...machine.kernel];
  return encode([
    [load, 0, 0, offsets.architecture],
    [jumpIfEqual, 1, 0, machine.architecture],
    [answer, 0, 0, kill],
    [load, 0, 0, offsets.number],
    [jumpIfAtLeast, 0, 1, x32],
    [answer, 0, 0, notPermitted],
    ...numbers.flatMap((number): Instruction[] => [
      [jumpIfEqual, 0, 1, number],
      [answer, 0, 0, notPermitted],
    ]),
    [jumpIfEqual, 0, 1, clone3],
    [answer, 0, 0, notImplemented],
    [jumpIfEqual, 0, 3, machine.clone],
    [load, 0, 0, offsets.firstArgument],
    [jumpIfAnySet, 1, 0, cloneThread],
    [answer, 0, 0, notPermitted],
    [answer, 0, 0, allow],
  ]);
}

function encode(instructions: Instruction[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(instructions.length * 8));
  for (const [position, [code, ifTrue, ifFalse, value]] of instructions.entries()) {
    bytes.setUint16(position * 8, code, true);
    bytes.setUint8(position * 8 + 2, ifTrue);
    bytes.setUint8(position * 8 + 3, ifFalse);
    bytes.setUint32(position * 8 + 4, value, true);
  }
  return new Uint8Array(bytes.buffer);
}
