import type { ReplyOf } from './operations.ts';

type AwaitedModel = NonNullable<ReplyOf<'GET', '/runs/:runId'>['waitingFor']>[number];

/** Tells for which models scores wait, why, and when each is asked again: a sentence for each. */
export const waitingSentences = (
  { waitingFor = [] }: { waitingFor?: AwaitedModel[] | undefined },
  formatTime: (instant: Date) => string,
): string[] =>
  waitingFor.map(
    ({ model, message, nextProbeAt }) =>
      `The judge ${model} is away (${message.replace(/\.$/, '')}): next try at ${formatTime(new Date(nextProbeAt))}.`,
  );

/** The time of day where the program runs, such as 14:05. */
export const timeOfDay = (instant: Date): string => instant.toTimeString().slice(0, 'hh:mm'.length);
