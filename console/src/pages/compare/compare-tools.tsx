import type { ReplyOf } from '@assay/client/operations';
import { comparisonMarkdown } from '@assay/comparison/markdown';
import { comparisonNotes } from '@assay/comparison/notes';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { CopyButton, CopyLink, Snippet } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';

type Comparison = ReplyOf<'POST', '/comparisons'>;

/** Things to take away: the comparison as Markdown, and the command for a pipeline. */
export function CompareTools({
  comparison,
  names,
  level,
  people,
}: {
  comparison: Comparison;
  names: (id: string) => string;
  level: string | undefined;
  /** The human metric that corrects judges. */
  people: string | undefined;
}) {
  const [isGateShown, showGate] = useState(false);
  return (
    <>
      <CopyLink />
      <CopyButton text={markdownOf(comparison, names)} label="Copy as Markdown" />
      <Button onClick={() => showGate(true)}>Gate command</Button>
      {isGateShown && (
        <Dialog title="Gate a pipeline" onClose={() => showGate(false)}>
          <p>
            This command ends with 1 where the candidate is worse than the baseline. Name the
            metrics by <code>--metric</code> to look at some of them only.
          </p>
          <Snippet
            code={`assay gate --baseline ${comparison.baselineRunId} --candidate ${comparison.candidateRunId}${level ? ` --level ${level}` : ''}${people ? ` --human-metric ${people}` : ''}`}
          />
        </Dialog>
      )}
    </>
  );
}

/** A comparison as a table for a pull request, with the sentences above it. */
function markdownOf(comparison: Comparison, names: (id: string) => string): string {
  const { baselineRunId, candidateRunId } = comparison;
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  const [baseline, candidate] = [names(baselineRunId), names(candidateRunId)];
  return [
    `**${cell(candidate)}** against **${cell(baseline)}** ([comparison](${location.href}))`,
    '',
    ...comparisonNotes(comparison, candidate).map((note) => `- ${cell(note)}`),
    '',
    ...comparisonMarkdown(comparison),
  ].join('\n');
}
