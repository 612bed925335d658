import { Button } from '../../parts/button.tsx';
import { formatCount } from '../../text/format.ts';
import type { useWalk } from './walk.ts';

/** The place of a record in the list that it was opened from, and the steps to its neighbours. */
export const RecordSteps = ({ walk }: { walk: ReturnType<typeof useWalk> }) =>
  walk.count > 1 && (
    <>
      <span>
        {formatCount(walk.place)} of {formatCount(walk.count)}
      </span>
      <Button
        aria-label="Previous record"
        title="Previous record: ["
        disabled={!walk.previous}
        onClick={walk.previous}
      >
        ←
      </Button>
      <Button
        aria-label="Next record"
        title="Next record: ]"
        disabled={!walk.next}
        onClick={walk.next}
      >
        →
      </Button>
    </>
  );
