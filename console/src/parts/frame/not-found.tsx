import { ButtonLink } from '../button.tsx';
import { Empty } from '../empty.tsx';
import { usePageTitle } from './page-title.ts';

/** A path of the console that leads nowhere. */
export function NotFound() {
  usePageTitle('Not found');
  return (
    <main id="main">
      <h1 className="for-screen-readers">Not found</h1>
      <Empty
        title="There is no such page"
        action={<ButtonLink to="/projects">Projects</ButtonLink>}
      >
        The address may be mistyped, or from a newer version of Assay.
      </Empty>
    </main>
  );
}
