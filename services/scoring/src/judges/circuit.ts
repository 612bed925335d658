import type { ScoreFailureCode } from '@assay/contracts/run-records';

/** Failures in a row after which nothing is sent for a while. */
const failuresMax = 5;
/** In pause bases: how long it is closed to calls at first, and at most. */
const openFirst = 10;
const openMax = 60;

/**
 * How a call goes out: as one of many, or as the probe, the single call that finds out whether a
 * failing model answers again.
 */
export type Admission = 'call' | 'probe';

/** Why nothing is sent, and until when. */
export interface Outage {
  code: ScoreFailureCode;
  /** Without words of the provider, which may repeat a prompt. */
  message: string;
  since: Date;
  nextProbeAt: Date;
}

export type Circuit = ReturnType<typeof createCircuit>;

/**
 * Holds back the calls to a model that fails, and lets a probe through from time to time until one
 * succeeds.
 */
export function createCircuit({
  pauseBaseMs,
  onOpen,
  onClose = () => undefined,
}: {
  pauseBaseMs: number;
  /** Called when it opens, and when a probe fails. */
  onOpen: (openMs: number, outage: Outage) => void;
  onClose?: () => void;
}) {
  let failures = 0;
  let openMs = 0;
  let openUntil = 0;
  let openedAt = 0;
  let since = new Date(0);
  let isProbing = false;
  /**
   * The times of the newest retry, and of the newest one that the last probe was made for, in ms.
   */
  let retriedAt = 0;
  let probedFor = 0;
  const isOpen = () => openMs > 0;

  return {
    isOpen,

    /** How long calls have to wait: 0 when one may go out, Infinity while a probe is under way. */
    waitMs(): number {
      if (!isOpen()) return 0;
      return isProbing ? Number.POSITIVE_INFINITY : Math.max(0, openUntil - performance.now());
    },

    /** Called for each call that goes out, when none has to wait. */
    admit(): Admission {
      if (!isOpen()) return 'call';
      isProbing = true;
      probedFor = retriedAt;
      return 'probe';
    },

    succeeded(): void {
      const wasOpen = isOpen();
      failures = 0;
      openMs = 0;
      isProbing = false;
      if (wasOpen) onClose();
    },

    failed(admission: Admission, fault: Pick<Outage, 'code' | 'message'>): void {
      failures++;
      // Calls that were under way when it opened say nothing new.
      if (failures < failuresMax || (isOpen() && admission !== 'probe')) return;
      isProbing = false;
      if (!isOpen()) since = new Date();
      openMs = Math.min(openMax * pauseBaseMs, isOpen() ? openMs * 2 : openFirst * pauseBaseMs);
      // A retry that was requested while the probe was in flight gets a probe of its own.
      openUntil = retriedAt > probedFor ? 0 : performance.now() + openMs;
      openedAt = Date.now();
      const nextProbeAt = new Date(openUntil === 0 ? openedAt : openedAt + openMs);
      onOpen(openMs, { ...fault, since, nextProbeAt });
    },

    /** A call that was admitted was not made. */
    abandoned(admission: Admission): void {
      if (admission === 'probe') isProbing = false;
    },

    /**
     * Lets the next call through as a probe, if the retry was requested after the circuit opened.
     */
    retry(at: Date): void {
      if (at.getTime() <= Math.max(openedAt, retriedAt)) return;
      retriedAt = at.getTime();
      openUntil = 0;
    },
  };
}
