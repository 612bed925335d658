import type { BodyOf, ReplyOf } from '@assay/client/operations';
import { isNumeric, isSameScale, statedScale } from '@assay/contracts/scale';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useReading } from '../../api/query.ts';
import { useMe } from '../../api/session.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Snippet } from '../../parts/copy.tsx';
import { Actions, Dialog } from '../../parts/dialog.tsx';
import { Choice, Field } from '../../parts/field.tsx';
import { Problem } from '../../parts/problem.tsx';
import { countOf } from '../../text/format.ts';
import type { Metric } from '../../text/metrics.ts';
import { type MetricComparison, writeReach } from '../../text/verdicts.ts';
import { Members } from '../review/members.tsx';
import styles from './compare.module.css';
import { createdMetric, type LabelWish, useAskPeople } from './use-ask-people.ts';

const route = getRouteApi('/frame/projects/$projectId/compare');

type LabelDraw = ReplyOf<'GET', '/label-draws'>;

interface AskPeopleProps {
  projectId: string;
  baselineRunId: string;
  candidateRunId: string;
  metric: MetricComparison;
  judge: Metric;
  metrics: Metric[];
}

/** The button of a judge's metric, and its dialog. */
export function AskPeople(props: AskPeopleProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button kind="quiet" onClick={() => setOpen(true)}>
        Ask people… <span className="for-screen-readers">about {props.metric.name}</span>
      </Button>
      {isOpen && <AskDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

/** The size of the draw, the metric and the members, and the worth of more labels. */
function AskDialog({ onClose, ...props }: AskPeopleProps & { onClose: () => void }) {
  const { projectId, baselineRunId, candidateRunId, metric, judge, metrics } = props;
  const drawn = { baselineRunId, candidateRunId, metricId: metric.metricId };
  const labels = useReading('/label-draws', { query: drawn });
  const [hasNobody, setNobody] = useState(false);
  const ask = useAskPeople({ projectId, ...drawn }, peoplesMetric(judge));
  const navigate = route.useNavigate();
  /** The comparison is corrected by these people's scores from now on. */
  const correctBy = (people: string): void =>
    void navigate({
      search: (before) => ({ ...before, people }),
      replace: true,
      resetScroll: false,
    });
  const [asked, setAsked] = useState<LabelWish>();
  if (asked && ask.data)
    return <ReviewLink {...ask.data} wish={asked} projectId={projectId} onClose={onClose} />;

  function submit(form: FormData) {
    const wish: LabelWish = {
      humanMetricId: `${form.get('people')}`,
      testcases: Number(form.get('testcases')),
      userIds: form.getAll('member').map(String),
    };
    setNobody(wish.userIds.length === 0);
    if (wish.userIds.length === 0) return;
    setAsked(wish);
    ask.mutate(wish, { onSuccess: ({ humanMetricId }) => correctBy(humanMetricId) });
  }

  return (
    <Dialog title={`Ask people about ${metric.name}`} onClose={onClose}>
      {labels.error && <Problem error={labels.error} retry={() => void labels.refetch()} />}
      {labels.data && (
        <form
          className={styles.ask}
          onSubmit={(event) => {
            event.preventDefault();
            submit(new FormData(event.currentTarget));
          }}
        >
          <p>
            A judge may be kinder to one of the runs. People score the same testcases of both, drawn
            by chance
            {!isNumeric(metric.outputType) && ', those whose result changed three times as often'}.
            So the comparison can say what people would have said.
          </p>
          <Prospect metric={metric} draw={labels.data} />
          <Field
            label="Testcases"
            name="testcases"
            type="number"
            min={1}
            max={1000}
            required
            defaultValue={30}
            hint="Each is two records to score, one of each run. From 30 on a comparison is corrected."
          />
          <ByMetric
            judge={judge}
            humanMetricId={labels.data.humanMetricId}
            choices={metrics.filter(
              (choice) => choice.evalType === 'human' && isSameScale(choice, metric),
            )}
          />
          <Members hasNobody={hasNobody} />
          {ask.error && <Problem error={ask.error} />}
          <Actions>
            <Button onClick={onClose}>Cancel</Button>
            <Button
              kind="main"
              type="submit"
              isBusy={ask.isPending}
              disabled={labels.data.drawn >= labels.data.paired}
            >
              Draw and ask
            </Button>
          </Actions>
        </form>
      )}
    </Dialog>
  );
}

/** How sure people's scores make the comparison now, and would with more of them. */
function Prospect({ metric, draw }: { metric: MetricComparison; draw: LabelDraw }) {
  const { drawn, labelled, paired, expected } = draw;
  const { halfWidth, halfWidthWith20More } = expected;
  return (
    <p className={styles.prospect}>
      {drawn === 0
        ? `Nobody was asked about these ${countOf(paired, 'testcase')} yet.`
        : `${countOf(drawn, 'testcase')} of ${paired} drawn so far, ${labelled} scored by people in both runs.`}
      {drawn >= paired && paired > 0 && ' All are drawn: nothing is left to ask.'}
      {halfWidth !== null && ` That says the difference to ${writeReach(metric, halfWidth)}.`}
      {drawn < paired &&
        halfWidthWith20More !== null &&
        ` With ${Math.min(20, paired - drawn)} more the difference would be known to about ${writeReach(metric, halfWidthWith20More)}${halfWidth === null ? ', if the judge is wrong on 15 of 100 records' : ''}.`}
    </p>
  );
}

/** The metric of people: that of the draw, one of the project, or a new one like the judge. */
function ByMetric({
  judge,
  humanMetricId,
  choices,
}: {
  judge: Metric;
  humanMetricId: string | null;
  choices: Metric[];
}) {
  const known = humanMetricId
    ? choices.filter(({ id }) => id === humanMetricId)
    : choices.toSorted((one, other) => Number(isPeoples(other)) - Number(isPeoples(one)));
  function isPeoples({ name }: Metric): boolean {
    return name === peoplesName(judge);
  }
  return (
    <Choice
      label="They score by"
      name="people"
      defaultValue={humanMetricId ?? known.find(isPeoples)?.id ?? createdMetric}
      hint="People do not see what the judge said until they have scored."
    >
      {known.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
      {!humanMetricId && !known.some(isPeoples) && (
        <option value={createdMetric}>{peoplesName(judge)}: new, with the same guidelines</option>
      )}
    </Choice>
  );
}

const peoplesName = ({ name }: Metric): string => `${name} (people)`;

/** A metric by which people score as the judge does, on its scale. */
const peoplesMetric = (judge: Metric): BodyOf<'POST', '/projects/:projectId/metrics'> =>
  ({
    name: peoplesName(judge),
    evalType: 'human' as const,
    outputType: judge.outputType,
    guidelines: judge.guidelines,
    ...statedScale(judge),
    ...('passingThreshold' in judge ? { passingThreshold: judge.passingThreshold } : {}),
  }) as BodyOf<'POST', '/projects/:projectId/metrics'>;

/** Testcases are drawn and records assigned: the link that the members need. */
function ReviewLink({
  draw,
  humanMetricId,
  wish: { userIds },
  projectId,
  onClose,
}: {
  draw: LabelDraw;
  humanMetricId: string;
  wish: LabelWish;
  projectId: string;
  onClose: () => void;
}) {
  const me = useMe();
  const to = '/projects/$projectId/review/go' as const;
  const search = { metric: humanMetricId, only: 'assigned' as const };
  const { publicHref } = useRouter().buildLocation({ to, params: { projectId }, search });
  const isMine = me.data !== undefined && userIds.includes(me.data.member.userId);
  return (
    <Dialog title="People are asked" onClose={onClose}>
      <p>
        {countOf(draw.drawn, 'testcase')} drawn in all, the new ones assigned to{' '}
        {countOf(userIds.length, 'member')}. Each finds them by this link, whoever is first takes a
        record:
      </p>
      <Snippet code={`${location.origin}${publicHref}`} />
      <Actions>
        <Button onClick={onClose}>Close</Button>
        {isMine && (
          <ButtonLink kind="main" to={to} params={{ projectId }} search={search}>
            Start reviewing mine
          </ButtonLink>
        )}
      </Actions>
    </Dialog>
  );
}
