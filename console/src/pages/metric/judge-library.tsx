import type { ReplyOf } from '@assay/client/operations';
import { Link } from '@tanstack/react-router';
import { useReading } from '../../api/query.ts';
import { ButtonLink } from '../../parts/button.tsx';
import { Problem } from '../../parts/problem.tsx';
import { OutcomeMark } from '../../parts/score.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { outputTypes } from '../../text/metrics.ts';
import { outcomeOf } from '../../text/scores.ts';
import styles from './judge-library.module.css';

export type JudgeTemplate = ReplyOf<'GET', '/judge-templates'>['data'][number];

/** The ready-made judges, of which one is chosen as the beginning of a metric. */
export function JudgeLibrary({ projectId }: { projectId: string }) {
  const templates = useReading('/judge-templates');
  return (
    <>
      <p>
        Choose one as a beginning. You see its prompt, say where your records have what it reads,
        try it on one of them, and save it as your own. Nothing changes it later but you.
      </p>
      {templates.error && (
        <Problem error={templates.error} retry={() => void templates.refetch()} />
      )}
      <ul className={styles.library} aria-label="Ready-made judges">
        {templates.data?.data.map((template) => (
          <Card key={template.name} projectId={projectId} template={template} />
        ))}
      </ul>
      {!templates.isPending && (
        <p>
          None of them fits?{' '}
          <Link to="/projects/$projectId/metrics/new" params={{ projectId }}>
            Write your own metric
          </Link>
          .
        </p>
      )}
    </>
  );
}

function Card({ projectId, template }: { projectId: string; template: JudgeTemplate }) {
  const { name, title, summary, whenToUse, whenNotToUse, outputType, examples } = template;
  return (
    <li className={styles.card}>
      <h2>{title}</h2>
      <p>{summary}.</p>
      <p className={styles.soft}>
        {outputTypes[outputType]} · <code>{name}</code>
      </p>
      <dl className={styles.uses}>
        <dt>When to use it</dt>
        <dd>
          <Sentence text={whenToUse} />
        </dd>
        <dt>When not</dt>
        <dd>
          <Sentence text={whenNotToUse} />
        </dd>
      </dl>
      <details>
        <summary>
          Examples<span className="for-screen-readers"> of {title}</span>
        </summary>
        <ul className={styles.examples}>
          {examples.map((example) => (
            <Example key={JSON.stringify(example)} example={example} template={template} />
          ))}
        </ul>
      </details>
      <ButtonLink
        to="/projects/$projectId/metrics/new"
        params={{ projectId }}
        search={{ template: name }}
        aria-label={`Use it: ${title}`}
      >
        Use it
      </ButtonLink>
    </li>
  );
}

const payloads = ['inputs', 'expected', 'outputs'] as const;

/** A record, its score, and the reason that a good judge gives. */
function Example({
  example,
  template: { outputType, passingThreshold },
}: {
  example: JudgeTemplate['examples'][number];
  template: JudgeTemplate;
}) {
  const { value, reasoning } = example;
  const outcome = outcomeOf({ outputType, passingThreshold: passingThreshold ?? null }, value);
  return (
    <li>
      {payloads
        .flatMap((payload) => Object.entries(example[payload]))
        .map(([name, part]) => (
          <p key={name}>
            <code>{name}</code> {typeof part === 'string' ? part : JSON.stringify(part)}
          </p>
        ))}
      <p>
        <OutcomeMark outcome={outcome} value={typeof value === 'number' ? value : null} />{' '}
        <span className={styles.soft}>{reasoning}</span>
      </p>
    </li>
  );
}
