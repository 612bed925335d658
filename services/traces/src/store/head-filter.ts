import type { Filter } from 'mongodb';
import type { HeadDocument } from './head.ts';

export interface HeadFilter {
  from?: number | undefined;
  to?: number | undefined;
  name?: string | undefined;
  serviceName?: string | undefined;
  model?: string | undefined;
  sessionId?: string | undefined;
  userId?: string | undefined;
  tag?: string | undefined;
  linkId?: string | undefined;
  hasErrors?: boolean | undefined;
  isSettled?: boolean | undefined;
  durationMsMin?: number | undefined;
  costUsdMin?: number | undefined;
  rating?: boolean | undefined;
}

/** The condition under which a head passes a filter. */
export function conditionOf({
  from,
  to,
  name,
  serviceName,
  model,
  sessionId,
  userId,
  tag,
  linkId,
  hasErrors,
  isSettled,
  durationMsMin,
  costUsdMin,
  rating,
}: HeadFilter): Filter<HeadDocument> {
  const started = {
    ...(from === undefined ? {} : { $gte: from }),
    ...(to === undefined ? {} : { $lt: to }),
  };
  return {
    ...(from === undefined && to === undefined ? {} : { startedAt: started }),
    ...(name === undefined ? {} : { name }),
    ...(serviceName === undefined ? {} : { serviceName }),
    ...(model === undefined ? {} : { models: model }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(userId === undefined ? {} : { userId }),
    ...(tag === undefined ? {} : { tags: tag, 'tags.0': { $exists: true } }),
    ...(linkId === undefined ? {} : { linkIds: linkId, 'linkIds.0': { $exists: true } }),
    ...(hasErrors === undefined ? {} : { numErrors: hasErrors ? { $gt: 0 } : 0 }),
    ...(isSettled === undefined ? {} : { isSettled }),
    ...(durationMsMin === undefined ? {} : { durationMs: { $gte: durationMsMin } }),
    ...(costUsdMin === undefined ? {} : { costUsd: { $gte: costUsdMin } }),
    ...(rating === undefined ? {} : { ratings: rating, 'ratings.0': { $exists: true } }),
  };
}
