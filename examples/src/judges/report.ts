import type { JudgeAgreement } from './agreement.ts';

/** Characters of an answer and of a reason that are shown. */
const shownMax = 140;

const columns = (cells: string[]): string =>
  cells
    .map((cell, index) => (index === 0 ? cell.padEnd(24) : cell.padStart(10)))
    .join('')
    .trimEnd();

/** The head of the table, to which `agreementRow` adds a line for each judge. */
export const agreementHead = columns([
  'JUDGE',
  'AGREES',
  'KAPPA',
  'TOO MILD',
  'TOO HARD',
  'FAILED',
]);

export function agreementRow({
  template,
  records,
  failures,
  agreed,
  kappa,
  disagreements,
}: JudgeAgreement): string {
  const mild = disagreements.filter(({ judge, record }) => Number(judge) > Number(record.label));
  return columns([
    template,
    `${agreed} of ${records}`,
    kappa === null ? '–' : kappa.toFixed(2),
    String(mild.length),
    String(disagreements.length - mild.length),
    failures.length === 0 ? '0' : String(records - agreed - disagreements.length),
  ]);
}

/** Each disagreement with the reasons of both sides, and why records were not scored. */
export function explainAgreement({ template, disagreements, failures }: JudgeAgreement): string[] {
  return [
    ...disagreements.flatMap(({ record, judge, reasoning }) => [
      '',
      `${template}: the judge says ${judge}, the label ${record.label}`,
      `  answer  ${shortened(String(record.outputs.response))}`,
      `  judge   ${shortened(reasoning ?? '')}`,
      `  label   ${record.why}`,
    ]),
    ...failures.map((message) => `\n${template}: ${message}`),
  ];
}

/** On one line: a model's words may hold line breaks and control characters. */
function shortened(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
  return line.length > shownMax ? `${line.slice(0, shownMax)}…` : line;
}

export const remark =
  'Agreement on a dozen records shows that a template works, not how reliable it is on your data: label your own records.';
