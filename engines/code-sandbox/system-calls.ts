import { endianness } from 'node:os';

/**
 * The system calls that Node and CPython need to compute and to answer, by purpose: the number on
 * x64, and on arm64 if the call exists there. All other calls are refused: new processes, sockets,
 * shared memory, changes to files, namespaces, and the calls that attacks on the kernel begin with.
 */
const allowed: Record<string, readonly [x64: number | undefined, arm64?: number]> = {
  // Existing files, and files that were already open.
  read: [0, 63],
  write: [1, 64],
  open: [2],
  close: [3, 57],
  stat: [4],
  fstat: [5, 80],
  lstat: [6],
  lseek: [8, 62],
  ioctl: [16, 29],
  pread64: [17, 67],
  pwrite64: [18, 68],
  readv: [19, 65],
  writev: [20, 66],
  access: [21],
  dup: [32, 23],
  dup2: [33],
  dup3: [292, 24],
  fcntl: [72, 25],
  getcwd: [79, 17],
  readlink: [89],
  umask: [95, 166],
  statfs: [137, 43],
  fstatfs: [138, 44],
  fadvise64: [221, 223],
  getdents64: [217, 61],
  openat: [257, 56],
  newfstatat: [262, 79],
  readlinkat: [267, 78],
  faccessat: [269, 48],
  statx: [332, 291],
  close_range: [436, 436],
  faccessat2: [439, 439],
  // Node's pipes to the parent process.
  getsockname: [51, 204],
  getsockopt: [55, 209],
  shutdown: [48, 210],
  // Event loops.
  poll: [7],
  select: [23],
  pipe: [22],
  epoll_wait: [232],
  epoll_ctl: [233, 21],
  pselect6: [270, 72],
  ppoll: [271, 73],
  epoll_pwait: [281, 22],
  eventfd2: [290, 19],
  epoll_create1: [291, 20],
  pipe2: [293, 59],
  epoll_pwait2: [441, 441],
  // Memory of its own.
  mmap: [9, 222],
  mprotect: [10, 226],
  munmap: [11, 215],
  brk: [12, 214],
  mremap: [25, 216],
  mincore: [27, 232],
  madvise: [28, 233],
  pkey_mprotect: [329, 288],
  pkey_alloc: [330, 289],
  pkey_free: [331, 290],
  membarrier: [324, 283],
  // Its beginning, its signals, its threads and its end. clone and prctl are looked at below.
  execve: [59, 221],
  arch_prctl: [158],
  prctl: [157, 167],
  clone: [56, 220],
  exit: [60, 93],
  exit_group: [231, 94],
  tgkill: [234, 131],
  rt_sigaction: [13, 134],
  rt_sigprocmask: [14, 135],
  rt_sigreturn: [15, 139],
  rt_sigpending: [127, 136],
  sigaltstack: [131, 132],
  restart_syscall: [219, 128],
  futex: [202, 98],
  set_tid_address: [218, 96],
  set_robust_list: [273, 99],
  rseq: [334, 293],
  sched_yield: [24, 124],
  sched_getaffinity: [204, 123],
  sched_getparam: [143, 121],
  sched_getscheduler: [145, 120],
  sched_get_priority_max: [146, 125],
  sched_get_priority_min: [147, 126],
  getcpu: [309, 168],
  // Reading the time, and waiting for it.
  nanosleep: [35, 101],
  getitimer: [36, 102],
  alarm: [37],
  setitimer: [38, 103],
  gettimeofday: [96, 169],
  times: [100, 153],
  time: [201],
  clock_gettime: [228, 113],
  clock_getres: [229, 114],
  clock_nanosleep: [230, 115],
  // Who and where it is, its limits, and random numbers.
  getpid: [39, 172],
  getppid: [110, 173],
  gettid: [186, 178],
  getuid: [102, 174],
  getgid: [104, 176],
  geteuid: [107, 175],
  getegid: [108, 177],
  capget: [125, 90],
  uname: [63, 160],
  sysinfo: [99, 179],
  getrlimit: [97, 163],
  setrlimit: [160, 164],
  getrusage: [98, 165],
  prlimit64: [302, 261],
  getrandom: [318, 278],
};

/** Names of the calls that code may make, for the profile of its container. */
export const sandboxCalls: readonly string[] = Object.keys(allowed);

/** As the kernel names the machines. */
const machines = {
  x64: { architecture: 0xc000003e, column: 0 },
  arm64: { architecture: 0xc00000b7, column: 1 },
} as const;

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

const cloneThread = 0x10000;
/** Of prctl: PR_SET_NAME, PR_GET_NAME and PR_SET_VMA, which name a thread and its memory. */
const namings = [15, 16, 0x53564d41];
/**
 * From here on a call has the same number on every machine, and libraries go another way where the
 * kernel has it not. clone3 is one.
 */
const newCalls = 424;
/** The numbers of x32, a second way into the same calls. */
const x32 = 0x40000000;

type Instruction = [code: number, ifTrue: number, ifFalse: number, value: number];

/**
 * A seccomp filter (struct sock_filter, 8 bytes an instruction) under which there are threads but
 * no new processes; `undefined` on machines whose numbers we do not know.
 */
export function systemCallFilter(): Uint8Array | undefined {
  const machine =
    process.arch === 'x64' || process.arch === 'arm64' ? machines[process.arch] : undefined;
  if (!machine || endianness() !== 'LE') return undefined;
  const { clone, prctl, ...plain } = allowed;
  const numbers = Object.values(plain).flatMap((call) => call[machine.column] ?? []);
  return encode([
    [load, 0, 0, offsets.architecture],
    [jumpIfEqual, 1, 0, machine.architecture],
    [answer, 0, 0, kill],
    [load, 0, 0, offsets.number],
    [jumpIfAtLeast, 0, 1, x32],
    [answer, 0, 0, notPermitted],
    ...numbers.flatMap((number) => allowIfEqual(number)),
    [jumpIfAtLeast, 0, 1, newCalls],
    [answer, 0, 0, notImplemented],
    [jumpIfEqual, 0, 4, clone![machine.column]!],
    [load, 0, 0, offsets.firstArgument],
    [jumpIfAnySet, 0, 1, cloneThread],
    [answer, 0, 0, allow],
    [answer, 0, 0, notPermitted],
    [jumpIfEqual, 0, 1 + 2 * namings.length, prctl![machine.column]!],
    [load, 0, 0, offsets.firstArgument],
    ...namings.flatMap((naming) => allowIfEqual(naming)),
    [answer, 0, 0, notPermitted],
  ]);
}

const allowIfEqual = (value: number): Instruction[] => [
  [jumpIfEqual, 0, 1, value],
  [answer, 0, 0, allow],
];

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
