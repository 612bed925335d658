import { Problem } from '../problem.tsx';

/** Shown in place of a page that could not be shown, such as after an update of the server. */
export const PageProblem = ({ error }: { error: Error }) => (
  <main>
    <h1>This page could not be shown</h1>
    <Problem error={error} retry={() => location.reload()} />
  </main>
);
