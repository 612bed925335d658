import type { ReplyOf } from '@assay/client/operations';
import type { Marks } from './marks.ts';

type WaitingFor = ReplyOf<'GET', '/runs/:runId'>['waitingFor'];

/** The models that a run waits for, with the words of their providers between marks. */
export const markedWaitingFor = (
  waitingFor: WaitingFor,
  marks: Pick<Marks, 'data'>,
  charactersMax: number,
): WaitingFor =>
  waitingFor?.map((awaited) => ({
    ...awaited,
    message: marks.data(awaited.message, charactersMax),
  }));
