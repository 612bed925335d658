import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { reading } from '../../api/query.ts';
import { type TrendSearch, timeOf } from './trend-search.ts';

/** Trends with runs that are counted anew are read again after this time, in ms. */
const behindMs = 5000;

/** Reads the trends of the runs that are asked for; those before stay until the next are there. */
export function useTrends(
  projectId: string,
  { testset, label, systemId, ...time }: TrendSearch & { systemId?: string | undefined },
) {
  const { from, to } = timeOf(time);
  return useQuery({
    ...reading('/projects/:projectId/trends', {
      params: { projectId },
      query: {
        ...(testset === undefined || testset === 'none' ? {} : { testsetId: testset }),
        ...(label === undefined ? {} : { label: [label] }),
        ...(systemId === undefined ? {} : { systemId }),
        ...(from === undefined ? {} : { from: new Date(from).toISOString() }),
        ...(to === undefined ? {} : { to: new Date(to).toISOString() }),
      },
    }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.points.some(({ isBehind }) => isBehind) ? behindMs : false,
  });
}
