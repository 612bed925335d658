import type { Attack } from './attack.ts';
import { changeAttacks } from './attacks/changes.ts';
import { hostileAttacks } from './attacks/hostile.ts';
import { largeAttacks } from './attacks/large.ts';
import { readingAttacks } from './attacks/reading.ts';
import { toolAttacks } from './attacks/tools.ts';
import { traceAttacks } from './attacks/traces.ts';
import { transferAttacks } from './attacks/transfers.ts';
import { verdictAttacks } from './attacks/verdicts.ts';

export const attacks: readonly Attack[] = [
  ...hostileAttacks,
  ...transferAttacks,
  ...readingAttacks,
  ...changeAttacks,
  ...largeAttacks,
  ...traceAttacks,
  ...verdictAttacks,
  ...toolAttacks,
];
