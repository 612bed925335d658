import { ButtonLink } from '../button.tsx';
import { Empty } from '../empty.tsx';

/** A path of the console that leads nowhere. */
export const NotFound = () => (
  <main>
    <h1 className="for-screen-readers">Not found</h1>
    <Empty title="There is no such page" action={<ButtonLink to="/projects">Projects</ButtonLink>}>
      The address may be mistyped, or from a newer version of Assay.
    </Empty>
  </main>
);
