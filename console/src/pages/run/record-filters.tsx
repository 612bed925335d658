import { getRouteApi, type RegisteredRouter, type RouteById } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Choice, Field } from '../../parts/field.tsx';
import { outcomes } from '../../parts/score.tsx';
import { useShortcuts } from '../../parts/shortcuts.ts';
import { shortId } from '../../text/names.ts';
import type { MetricSummary } from './metric-cards.tsx';
import styles from './run.module.css';

const route = getRouteApi('/frame/projects/$projectId/runs/$runId');

type Search = RouteById<
  RegisteredRouter['routeTree'],
  '/frame/projects/$projectId/runs/$runId'
>['types']['fullSearchSchema'];

/** The state of a score by which records are filtered. */
export const recordOutcomes = ['pass', 'fail', 'failed', 'pending', 'awaited'] as const;

/** Which records of a run are listed: by a metric's outcome, tags, assignee, annotations, text. */
export function RecordFilters({ metrics }: { metrics: MetricSummary[] }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (values: Partial<Search>) =>
    void navigate({ search: (before) => ({ ...before, ...values }), resetScroll: false });
  const tags = search.tags ?? [];
  const chips = chipsOf(search, metrics);
  return (
    <search className={styles.filters}>
      <Typed
        label="Text"
        type="search"
        shortcut="filter"
        placeholder="in inputs, expected, outputs"
        given={search.text ?? ''}
        enter={(text) => change({ text: text || undefined })}
      />
      <Choice
        label="Metric"
        value={search.metricVersionId ?? ''}
        onChange={({ target }) =>
          change({
            ...withoutMetric,
            metricVersionId: target.value || undefined,
            outcome: target.value ? (search.outcome ?? 'fail') : undefined,
          })
        }
      >
        <option value="">Any</option>
        {metrics.map(({ metricVersionId, name }) => (
          <option key={metricVersionId} value={metricVersionId}>
            {name}
          </option>
        ))}
      </Choice>
      <Choice
        label="Outcome"
        disabled={!search.metricVersionId}
        value={search.outcome ?? ''}
        onChange={({ target }) =>
          change({
            outcome: recordOutcomes.find((outcome) => outcome === target.value),
            ...(target.value || search.value || search.min || search.max ? {} : withoutMetric),
          })
        }
      >
        <option value="">Any</option>
        {recordOutcomes.map((outcome) => (
          <option key={outcome} value={outcome}>
            {outcomes[outcome].sign} {outcomes[outcome].text}
          </option>
        ))}
      </Choice>
      <Typed
        label="Tag"
        given=""
        enter={(tag) => tag && change({ tags: [...new Set([...tags, tag])] })}
      />
      <Choice
        label="Assigned to"
        value={search.assignee ?? ''}
        onChange={({ target }) => change({ assignee: target.value || undefined })}
      >
        <option value="">Anybody</option>
        <option value="me">Me</option>
        {search.assignee && search.assignee !== 'me' && (
          <option value={search.assignee}>{shortId(search.assignee)}</option>
        )}
      </Choice>
      <Choice
        label="Annotations"
        value={search.hasAnnotations ?? ''}
        onChange={({ target }) =>
          change({
            hasAnnotations: (['true', 'false'] as const).find((one) => one === target.value),
          })
        }
      >
        <option value="">With or without</option>
        <option value="true">With</option>
        <option value="false">Without</option>
      </Choice>
      <p className={styles.pills}>
        {chips.map(({ text, without }) => (
          <Button
            key={text}
            kind="quiet"
            aria-label={`Take away: ${text}`}
            onClick={() => change(without)}
          >
            {text} ✕
          </Button>
        ))}
        {chips.length > 1 && (
          <Button
            kind="quiet"
            onClick={() => change(Object.assign({}, ...chips.map(({ without }) => without)))}
          >
            Take all away
          </Button>
        )}
      </p>
    </search>
  );
}

const withoutMetric = {
  metricVersionId: undefined,
  outcome: undefined,
  value: undefined,
  min: undefined,
  max: undefined,
};

/** Each filter that is set, and the change that takes it away. */
function chipsOf(
  { text, tags = [], assignee, hasAnnotations, testcaseId, sort, order, ...metric }: Search,
  metrics: MetricSummary[],
): { text: string; without: Partial<Search> }[] {
  const nameOf = (versionId: string | undefined) =>
    metrics.find(({ metricVersionId }) => metricVersionId === versionId)?.name ?? 'metric';
  const chips: { text: string; without: Partial<Search> }[] = [];
  if (text) chips.push({ text: `“${text}”`, without: { text: undefined } });
  const { metricVersionId, outcome, value, min, max } = metric;
  if (metricVersionId && (outcome || value || min || max)) {
    const range = min || max ? `${min ?? '…'} to ${max ?? '…'}` : undefined;
    const said = [outcome && outcomes[outcome].text, value, range].filter(Boolean).join(', ');
    chips.push({ text: `${nameOf(metricVersionId)}: ${said}`, without: withoutMetric });
  }
  for (const tag of tags) {
    const others = tags.filter((one) => one !== tag);
    chips.push({ text: `tag ${tag}`, without: { tags: others.length > 0 ? others : undefined } });
  }
  if (assignee)
    chips.push({
      text: `assigned to ${assignee === 'me' ? 'me' : shortId(assignee)}`,
      without: { assignee: undefined },
    });
  if (hasAnnotations)
    chips.push({
      text: hasAnnotations === 'true' ? 'annotated' : 'not annotated',
      without: { hasAnnotations: undefined },
    });
  if (testcaseId)
    chips.push({ text: `testcase ${shortId(testcaseId)}`, without: { testcaseId: undefined } });
  if (sort || order)
    chips.push({
      text: sort
        ? `${order === 'desc' ? 'highest' : 'lowest'} ${nameOf(sort.slice('value:'.length))} first`
        : 'newest first',
      without: { sort: undefined, order: undefined },
    });
  return chips;
}

/** A field whose text counts when Enter is pressed. */
function Typed({
  given,
  enter,
  shortcut,
  ...rest
}: {
  label: string;
  given: string;
  enter: (text: string) => void;
  shortcut?: 'filter';
  type?: string;
  placeholder?: string;
}) {
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(given);
  useEffect(() => setTyped(given), [given]);
  useShortcuts(shortcut ? { [shortcut]: () => field.current?.focus() } : {});
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== 'Enter') return;
    enter(typed.trim());
    if (given === '') setTyped('');
  };
  return (
    <Field
      {...rest}
      ref={field}
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
      onKeyDown={onKeyDown}
    />
  );
}
