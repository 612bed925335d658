import type { ReplyOf } from '@assay/client/operations';
import { getRouteApi } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useList } from '../../api/list.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Choice } from '../../parts/field.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useShortcuts } from '../../parts/shortcuts.ts';
import { Tabs } from '../../parts/tabs.tsx';
import { countOf, formatCount } from '../../text/format.ts';
import type { MetricComparison } from '../../text/verdicts.ts';
import { type DifferenceKind, Pair, type SideChoice } from './pair.tsx';
import styles from './pairs.module.css';
import { PreferenceButtons } from './preference.tsx';
import { useChosenTestcase } from './use-chosen-testcase.ts';
import { type Preference, usePreferenceMetrics, usePreferences } from './use-preferences.ts';

const route = getRouteApi('/frame/projects/$projectId/compare');

/** Characters of each payload: longer answers are compared by their beginnings. */
const previewCharacters = 2000;

type Group = keyof MetricComparison['groups'];

/** The groups of testcases, in the order in which people ask for them. */
const groups: Record<Group, string> = {
  regressed: 'Regressed',
  improved: 'Improved',
  changed: 'Changed',
  bothFail: 'Both fail',
  bothPass: 'Both pass',
  unpairedBaseline: 'Only baseline',
  unpairedCandidate: 'Only candidate',
};
const groupNames = Object.keys(groups) as Group[];
const differenceKinds: DifferenceKind[] = ['words', 'lines', 'json'];

/** The testcases of one group, the largest change first: both answers, side by side. */
export function Pairs({
  comparison: { baselineRunId, candidateRunId, metrics },
  metric,
  names,
}: {
  comparison: ReplyOf<'POST', '/comparisons'>;
  metric: MetricComparison;
  names: (id: string) => string;
}) {
  const { show, pair: chosen, order = 'largest', prefer } = route.useSearch();
  const navigate = route.useNavigate();
  const group = groupNames.find((name) => name === show) ?? 'changed';
  const list = useList('/comparisons/pairs', {
    query: {
      baselineRunId,
      candidateRunId,
      metricId: metric.metricId,
      show: group,
      order,
      preview: previewCharacters,
    },
  });
  const [kind, setKind] = useState<DifferenceKind>('words');
  const [shown, setShown] = useState<SideChoice>('both');
  const current = useRef<HTMLElement>(null);
  const {
    items: pairs,
    choose,
    step,
    hasMore,
    showMore,
  } = useChosenTestcase(list, { chosen, current });
  const humanMetrics = usePreferenceMetrics(baselineRunId, candidateRunId);
  const humanMetric =
    humanMetrics?.find(({ metricId }) => metricId === (prefer ?? metric.metricId)) ??
    humanMetrics?.[0];
  const preferences = usePreferences(humanMetric);
  const preferCurrent = (preference: Preference) => () => {
    const pair = pairs.find(({ testcaseId }) => testcaseId === chosen);
    if (pair) preferences.prefer(pair, preference);
  };
  const showOnly = (side: SideChoice) => () => setShown(shown === side ? 'both' : side);
  useShortcuts({
    nextPair: step(1),
    previousPair: step(-1),
    differenceKind: () =>
      setKind(differenceKinds[(differenceKinds.indexOf(kind) + 1) % differenceKinds.length]!),
    onlyBaseline: showOnly('baseline'),
    onlyCandidate: showOnly('candidate'),
    preferBaseline: preferCurrent('baseline'),
    preferCandidate: preferCurrent('candidate'),
    preferBoth: preferCurrent('both'),
    undoPreference: () => {
      const pair = preferences.undo();
      if (pair) choose(pair.testcaseId);
    },
    tagPair: () => current.current?.querySelector<HTMLElement>('[data-tag]')?.click(),
  });
  return (
    <section className={styles.pairs} aria-label={`Testcases by ${metric.name}`}>
      <header className={styles.head}>
        <h2>{metric.name}, testcase by testcase</h2>
        <Choice
          label="Order"
          value={order}
          onChange={({ target }) =>
            void navigate({
              search: (all) => ({
                ...all,
                order: target.value === 'oldest' ? 'oldest' : undefined,
                pair: undefined,
              }),
              resetScroll: false,
            })
          }
        >
          <option value="largest">Largest change first</option>
          <option value="oldest">Oldest first</option>
        </Choice>
        <Choice
          label="Difference by"
          value={kind}
          onChange={({ target }) => setKind(target.value as DifferenceKind)}
        >
          <option value="words">Words</option>
          <option value="lines">Lines</option>
          <option value="json">JSON</option>
        </Choice>
        {humanMetrics && humanMetrics.length > 1 && (
          <Choice
            label="Better by"
            value={humanMetric?.metricId}
            onChange={({ target }) =>
              void navigate({
                search: (all) => ({ ...all, prefer: target.value }),
                replace: true,
                resetScroll: false,
              })
            }
          >
            {humanMetrics.map(({ metricId, name }) => (
              <option key={metricId} value={metricId}>
                {name}
              </option>
            ))}
          </Choice>
        )}
      </header>
      {humanMetrics?.length === 0 && (
        <p className={styles.hint}>
          To say by a key which answer is better, start both runs with the same metric that people
          score as pass or fail.
        </p>
      )}
      {preferences.error && <Problem error={preferences.error} />}
      <Tabs
        label="Groups of testcases"
        tabs={groupNames.map((name) => ({
          text: `${groups[name]} ${formatCount(metric.groups[name])}`,
          search: { show: name === 'changed' ? undefined : name, pair: undefined },
          isCurrent: name === group,
        }))}
      />
      {list.error && <Problem error={list.error} retry={list.retry} />}
      {!list.isLoading && !list.error && list.rows === 0 && (
        <Empty title={`No testcase: ${groups[group].toLowerCase()}`}>
          {group === 'changed'
            ? unchangedText(metric)
            : 'No testcase of the two runs is of this group.'}
        </Empty>
      )}
      {pairs.map((pair) => (
        <Pair
          key={pair.testcaseId}
          pair={pair}
          metric={metric}
          metrics={metrics}
          kind={kind}
          shown={shown}
          names={{ baseline: names(baselineRunId), candidate: names(candidateRunId) }}
          preference={
            humanMetric && (
              <PreferenceButtons
                names={{ baseline: names(baselineRunId), candidate: names(candidateRunId) }}
                metricName={humanMetric.name}
                given={preferences.preferenceOf(pair)}
                give={(preference) => preferences.prefer(pair, preference)}
              />
            )
          }
          isCurrent={pair.testcaseId === chosen}
          ref={pair.testcaseId === chosen ? current : null}
        />
      ))}
      {hasMore && <Button onClick={showMore}>Show more</Button>}
    </section>
  );
}

/** Said where no testcase has another value: it holds for those alone that both runs have a score for. */
function unchangedText({ paired, unpaired }: MetricComparison): string {
  const both = `${countOf(paired, 'testcase')} ${paired === 1 ? 'has a score in both runs, the same' : 'have a score in both runs, the same in each'}.`;
  if (paired === 0) return 'No testcase has a score in both runs.';
  return unpaired === 0
    ? both
    : `${both} ${countOf(unpaired, 'testcase')} ${unpaired === 1 ? 'has' : 'have'} one in one run alone.`;
}
