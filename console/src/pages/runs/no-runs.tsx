import { ButtonLink } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';

export const NewRunLink = ({ projectId }: { projectId: string }) => (
  <ButtonLink kind="main" to="/projects/$projectId/runs/new" params={{ projectId }}>
    New run
  </ButtonLink>
);

/** Explains runs by an example, and leads to the first one. */
export const NoRuns = ({ projectId }: { projectId: string }) => (
  <Empty title="No runs yet" action={<NewRunLink projectId={projectId} />}>
    A run is one evaluation of one version of your system: its answer to each testcase, and the
    scores of these. For example, “Prompt 14” answers the 20 questions of a testset, and a metric
    says which of the answers are right.
  </Empty>
);
