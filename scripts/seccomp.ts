import { sandboxCalls } from '@assay/code-sandbox/system-calls';

/**
 * The system calls that a service needs besides those that it shares with users' code: sockets,
 * processes, files that change.
 */
const service = `
  socket socketpair bind listen accept accept4 connect getpeername setsockopt sendto sendmsg sendmmsg recvfrom recvmsg recvmmsg sendfile
  clone3 fork vfork wait4 waitid kill tkill rt_sigtimedwait rt_sigsuspend rt_sigqueueinfo signalfd4 pause setsid getsid setpgid getpgid getpgrp
  pidfd_open pidfd_send_signal get_robust_list sched_setaffinity sched_getattr sched_setattr sched_setscheduler sched_setparam getpriority
  setpriority seccomp set_tid_address execveat futex_waitv
  creat ftruncate truncate fallocate fsync fdatasync sync_file_range flock getdents chdir fchdir mkdir mkdirat rmdir unlink unlinkat rename
  renameat renameat2 link linkat symlink symlinkat chmod fchmod fchmodat chown fchown fchownat lchown utimensat openat2 preadv pwritev preadv2
  pwritev2 copy_file_range splice getxattr fgetxattr lgetxattr listxattr memfd_create msync mlock munlock inotify_init1 inotify_add_watch
  inotify_rm_watch eventfd epoll_create epoll_ctl timerfd_create timerfd_settime timerfd_gettime fchmodat2 readahead
  timer_create timer_settime timer_gettime timer_delete
  setuid setgid setgroups getgroups setresuid getresuid setresgid getresgid setreuid setregid setfsuid setfsgid capset
`;

/**
 * The system calls for bubblewrap's wall. The kernel allows them only in a user namespace of
 * bubblewrap's own, where it has nothing else.
 */
const bubblewrap = 'unshare mount umount2 pivot_root sethostname';

/**
 * The seccomp profile, in Docker's format, of the containers that run users' code: Docker's own one
 * refuses user namespaces.
 */
export function createSeccompProfile(): object {
  const listed = `${service} ${bubblewrap}`.trim().split(/\s+/);
  return {
    defaultAction: 'SCMP_ACT_ERRNO',
    // "Not implemented", so that libraries take another way.
    defaultErrnoRet: 38,
    archMap: [
      { architecture: 'SCMP_ARCH_X86_64', subArchitectures: [] },
      { architecture: 'SCMP_ARCH_AARCH64', subArchitectures: [] },
    ],
    syscalls: [
      { names: [...new Set([...sandboxCalls, ...listed])].toSorted(), action: 'SCMP_ACT_ALLOW' },
    ],
  };
}
