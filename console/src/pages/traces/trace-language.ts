import { instantOf } from '@assay/client/written-instant';
import { type FilterKind, type FilterLanguage, oneValue } from '../../parts/filter/language.ts';
import { formatDollars, formatDuration, formatInstant } from '../../text/format.ts';

/** The filters of the list of traces, as the URL has them. */
export interface TraceListState {
  from?: string | undefined;
  to?: string | undefined;
  name?: string | undefined;
  service?: string | undefined;
  model?: string | undefined;
  sessionId?: string | undefined;
  userId?: string | undefined;
  tag?: string | undefined;
  linkId?: string | undefined;
  error?: 'true' | 'false' | undefined;
  settled?: 'true' | 'false' | undefined;
  minDurationMs?: string | undefined;
  minCostUsd?: string | undefined;
  rating?: 'true' | 'false' | undefined;
  text?: string | undefined;
}

/** Values of the traces that were read lately, to complete the words that a person writes. */
export interface KnownTraces {
  names: string[];
  services: string[];
  models: string[];
  sessions: string[];
  users: string[];
  tags: string[];
}

/** Everything that traces can be filtered by. */
export function traceLanguage(
  state: TraceListState,
  known: KnownTraces,
): FilterLanguage<TraceListState> {
  const words = (
    parameter: keyof TraceListState,
    { key, name, values, example }: Words,
  ): FilterKind<TraceListState> => ({
    ...oneValue(parameter, { key, name, values: values.map((value) => ({ value })), example }),
    isWritten: true,
  });
  return {
    kinds: [
      yesOrNo('error', { name: 'Errors', words: ['with an error', 'without errors'] }),
      yesOrNo('rating', { name: 'Rated', words: ['good', 'bad'] }),
      time('from', { name: 'From', state }),
      time('to', { name: 'Until', state }),
      words('name', { key: 'name', name: 'Name', values: known.names, example: 'answer' }),
      words('service', {
        key: 'service',
        name: 'Service',
        values: known.services,
        example: 'support-bot',
      }),
      words('model', { key: 'model', name: 'Model', values: known.models, example: 'gpt-5-mini' }),
      words('tag', { key: 'tag', name: 'Tag', values: known.tags, example: 'production' }),
      words('sessionId', {
        key: 'session',
        name: 'Session',
        values: known.sessions,
        example: 'its id',
      }),
      words('userId', { key: 'user', name: 'User', values: known.users, example: 'its id' }),
      words('linkId', { key: 'link', name: 'Link id', values: [], example: 'of a record' }),
      duration(state),
      cost(state),
      yesOrNo('settled', { name: 'Settled', words: ['yes', 'not yet'] }),
    ],
    text: { parameter: 'text', name: 'Text', charactersMax: 256 },
  };
}

interface Words {
  key: string;
  name: string;
  values: string[];
  example: string;
}

/** A filter that is written as in the URL, and read in words. */
const yesOrNo = (
  key: 'error' | 'rating' | 'settled',
  { name, words: [yes, no] }: { name: string; words: [yes: string, no: string] },
): FilterKind<TraceListState> =>
  oneValue(key, {
    key,
    name,
    values: [
      { value: 'true', name: yes },
      { value: 'false', name: no },
    ],
  });

/** The value in force, under the name that people read. */
const inForce = (value: string | undefined, format: (value: string) => string) =>
  value === undefined ? [] : [{ value, name: format(value) }];

const unitsMs: Record<string, number> = {
  ms: 1,
  s: 1000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

function time(
  parameter: 'from' | 'to',
  { name, state }: { name: string; state: TraceListState },
): FilterKind<TraceListState> {
  const recent = ['1h', '24h', '7d'].map((value) => ({ value, name: `${value} ago` }));
  const values = [...inForce(state[parameter], instantText), ...recent];
  return {
    ...oneValue<TraceListState>(parameter, { key: parameter, name, values, example: '2026-03-01' }),
    isWritten: true,
    add: (_state, written) =>
      instantOf(written) === undefined
        ? `“${written}” is no time: write 2026-03-01, 2026-03-01T09:30, or 24h for a day ago.`
        : { [parameter]: instantOf(written) },
  };
}

/** A link may have any text for a time. */
const instantText = (instant: string): string =>
  Number.isNaN(Date.parse(instant)) ? instant : formatInstant(instant);

function duration(state: TraceListState): FilterKind<TraceListState> {
  return {
    ...oneValue<TraceListState>('minDurationMs', {
      key: 'duration',
      name: 'Duration at least',
      values: inForce(state.minDurationMs, (ms) => formatDuration(Number(ms))),
      example: '2s',
    }),
    sign: '>=',
    isWritten: true,
    add: (_state, written) => {
      const ms = durationOf(written);
      return ms === undefined
        ? `“${written}” is no duration: write 800ms, 2s or 1min.`
        : { minDurationMs: String(ms) };
    },
  };
}

/** The milliseconds of a duration that a person has written; undefined for any other text. */
export function durationOf(written: string): number | undefined {
  const [, number, unit = 'ms'] = /^(\d{1,9}(?:\.\d{1,6})?)\s*(ms|s|min|h)?$/.exec(written) ?? [];
  const ms = Number(number) * unitsMs[unit]!;
  return number === undefined || ms >= 1e12 ? undefined : Number(ms.toFixed(6));
}

function cost(state: TraceListState): FilterKind<TraceListState> {
  return {
    ...oneValue<TraceListState>('minCostUsd', {
      key: 'cost',
      name: 'Cost at least',
      values: inForce(state.minCostUsd, (dollars) => formatDollars(Number(dollars))),
      example: '0.01',
    }),
    sign: '>=',
    isWritten: true,
    add: (_state, written) => {
      const dollars = written.replace(/^\$/, '');
      return /^\d{1,12}(?:\.\d{1,9})?$/.test(dollars)
        ? { minCostUsd: dollars }
        : `“${written}” is no cost: write dollars, such as 0.01.`;
    },
  };
}
