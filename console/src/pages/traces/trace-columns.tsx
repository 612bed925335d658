import { Link } from '@tanstack/react-router';
import type { Column } from '../../parts/grid/columns.ts';
import { HeldName } from '../../parts/held-name.tsx';
import { Time } from '../../parts/time.tsx';
import { visible } from '../../text/format.ts';
import { TraceCost, TraceDuration, TraceStatus, TraceTokens } from './trace-marks.tsx';
import { TraceScores } from './trace-scores.tsx';
import type { TraceItem } from './use-new-traces.ts';

const Text = ({ text }: { text: string | null }) => <span>{text ? visible(text) : '–'}</span>;

/** The columns of a list of traces. */
export const traceColumnsOf = (projectId: string): Column<TraceItem>[] => [
  {
    id: 'name',
    name: 'Name',
    width: 150,
    cell: ({ traceId, name }) => (
      <Link to="/projects/$projectId/traces/$traceId" params={{ projectId, traceId }}>
        <HeldName id={traceId}>{visible(name) || 'without a name'}</HeldName>
      </Link>
    ),
  },
  { id: 'startedAt', name: 'Began', width: 110, cell: ({ startedAt }) => <Time at={startedAt} /> },
  { id: 'status', name: 'Status', width: 176, cell: (trace) => <TraceStatus trace={trace} /> },
  { id: 'scores', name: 'Scores', width: 170, cell: (trace) => <TraceScores trace={trace} /> },
  {
    id: 'input',
    name: 'Input',
    width: 150,
    cell: ({ inputPreview }) => <Text text={inputPreview} />,
  },
  {
    id: 'output',
    name: 'Output',
    width: 150,
    cell: ({ outputPreview }) => <Text text={outputPreview} />,
  },
  {
    id: 'duration',
    name: 'Latency',
    width: 84,
    isNumber: true,
    cell: (trace) => <TraceDuration trace={trace} />,
  },
  {
    id: 'tokens',
    name: 'Tokens',
    width: 80,
    isNumber: true,
    cell: (trace) => <TraceTokens trace={trace} />,
  },
  {
    id: 'cost',
    name: 'Cost',
    width: 90,
    isNumber: true,
    cell: (trace) => <TraceCost trace={trace} />,
  },
  {
    id: 'session',
    name: 'Session',
    width: 120,
    cell: ({ sessionId }) =>
      sessionId === null ? (
        '–'
      ) : (
        <Link to="/projects/$projectId/sessions/$sessionId" params={{ projectId, sessionId }}>
          {visible(sessionId)}
        </Link>
      ),
  },
  {
    id: 'models',
    name: 'Models',
    width: 130,
    cell: ({ models }) => <Text text={models.join(', ')} />,
  },
  {
    id: 'service',
    name: 'Service',
    width: 120,
    cell: ({ serviceName }) => <Text text={serviceName} />,
  },
  { id: 'user', name: 'User', width: 110, cell: ({ userId }) => <Text text={userId} /> },
  { id: 'tags', name: 'Tags', width: 120, cell: ({ tags }) => <Text text={tags.join(', ')} /> },
];
