import { printable } from '@assay/client/printable';
import type { Report } from '../report.ts';

/** GitHub shows so many annotations of a step. */
const annotationsMax = 10;

/**
 * Annotations of a job of GitHub Actions: an error for each metric that does not pass, or for the
 * obstacle that kept the gate from telling; else a notice. Lines of output that the runner obeys.
 */
export function githubAnnotations({ outcome, reason, findings, errors }: Report): string {
  const ofErrors = errors ? [{ name: 'errors', ...errors }] : [];
  const failed = [...findings, ...ofErrors].filter((finding) => finding.outcome !== 'passed');
  if (outcome === 'passed') return annotation('notice', 'Assay: passed', reason);
  if (failed.length === 0) return annotation('error', 'Assay: could not tell', reason);
  return failed
    .slice(0, annotationsMax)
    .map(({ name, outcome: own, reasons }) => {
      const title = `Assay: ${name} ${own === 'worse' ? 'is worse' : 'could not be told'}`;
      return annotation('error', title, reasons.join(' '));
    })
    .join('');
}

const annotation = (kind: 'error' | 'notice', title: string, message: string): string =>
  `::${kind} title=${property(title)}::${data(message)}\n`;

/** As the toolkit of Actions escapes them. */
const data = (text: string): string =>
  printable(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
