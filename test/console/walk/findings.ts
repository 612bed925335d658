/** All that a page can fail by. */
export const kinds = [
  'shift',
  'accessibility',
  'width',
  'complaints',
  'weight',
  'actions',
  'head',
  'targets',
  'bytes',
] as const;

export type Kind = (typeof kinds)[number];

export interface Finding {
  page: string;
  kind: Kind;
  /** Where it was seen, and the figures. */
  details: string;
}

/** A table of the pages that fail, with the count of findings of each kind, and then each finding. */
export function tableOf(title: string, pages: number, findings: Finding[]): string {
  const names = [...new Set(findings.map(({ page }) => page))];
  const count = (page: string, kind: Kind) =>
    findings.filter((finding) => finding.page === page && finding.kind === kind).length;
  const width = Math.max(title.length, ...names.map((name) => name.length));
  const row = (name: string, cells: (string | number)[]) =>
    [name.padEnd(width), ...cells.map((cell, at) => `${cell}`.padStart(kinds[at]!.length))].join(
      '  ',
    );
  const failing = kinds.map((kind) => names.filter((page) => count(page, kind) > 0).length);
  return [
    '',
    row(title, [...kinds]),
    ...names.map((page) =>
      row(
        page,
        kinds.map((kind) => count(page, kind) || '·'),
      ),
    ),
    row('pages that fail', failing),
    `${pages} pages, ${names.length} of which fail by something.`,
    ...findings.map(({ page, kind, details }) => `${page}: ${kind}: ${details}`),
    '',
  ].join('\n');
}
