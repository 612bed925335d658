import { Button } from '../../parts/button.tsx';
import { shortcuts } from '../../parts/shortcuts.ts';
import styles from './pairs.module.css';
import type { Preference } from './use-preferences.ts';

/** Says which of two answers is better; pressed again, nothing any more. */
export function PreferenceButtons({
  names,
  metricName,
  given,
  give,
}: {
  names: { baseline: string; candidate: string };
  metricName: string;
  given: Preference | undefined;
  give: (preference: Preference) => void;
}) {
  const choices = [
    { preference: 'baseline', text: names.baseline, keys: shortcuts.preferBaseline.keys },
    { preference: 'candidate', text: names.candidate, keys: shortcuts.preferCandidate.keys },
    { preference: 'both', text: 'Both are good', keys: shortcuts.preferBoth.keys },
  ] as const;
  return (
    <fieldset className={styles.preference}>
      <legend>Better by {metricName}</legend>
      {choices.map(({ preference, text, keys }) => (
        <Button
          key={preference}
          kind={given === preference ? 'main' : 'plain'}
          aria-pressed={given === preference}
          onClick={() => give(preference)}
        >
          {given === preference && <span aria-hidden="true">✓</span>} {text} <kbd>{keys}</kbd>
        </Button>
      ))}
    </fieldset>
  );
}
