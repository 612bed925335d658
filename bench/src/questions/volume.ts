import { createLargeRun, largeRunCount } from '../large-run.ts';
import { createLargeTestset, largeTestsetCount } from '../large-testset.ts';
import type { DownloadResult } from '../load.ts';
import { type Row, rateText, say, secondsText } from '../report.ts';
import { getOf, throughGateway } from '../requests.ts';
import type { Setting } from '../setting.ts';
import { memoryRows, type Transfer, transfer } from '../transfer.ts';

const question = 'volume';

/**
 * A million testcases in and out again, and a million records out, through the gateway in one body
 * each.
 */
export async function askVolume(setting: Setting): Promise<Row[]> {
  const { testsetId, ...imported } = await setting.shared(createLargeTestset);
  const exported = await downloadAll(
    setting,
    'testcases',
    `/testsets/${testsetId}/testcases/export?format=ndjson`,
    largeTestsetCount,
  );
  const rows: Row[] = [
    {
      question,
      measure: '1,000,000 testcases of 0.5 KB in, as NDJSON',
      ours: rateText(imported.value.perSecond),
    },
    ...memoryRows(question, imported),
    toRow('1,000,000 testcases out, as NDJSON', largeTestsetCount, exported.value),
    ...memoryRows(question, exported),
  ];
  const { runId } = await setting.shared(createLargeRun);
  const formats = { NDJSON: largeRunCount, CSV: largeRunCount + 1, Parquet: undefined };
  for (const [name, lines] of Object.entries(formats)) {
    const path = `/runs/${runId}/records/export?format=${name.toLowerCase()}`;
    const downloaded = await downloadAll(setting, 'run-records', path, lines);
    rows.push(
      toRow(`1,000,000 records of 1 KB out, as ${name}`, largeRunCount, downloaded.value),
      ...memoryRows(question, downloaded),
    );
  }
  return rows;
}

async function downloadAll(
  setting: Setting,
  service: string,
  path: string,
  lines: number | undefined,
): Promise<Transfer<DownloadResult>> {
  const installation = await setting.installation();
  const request = getOf(throughGateway(installation), path);
  const downloaded = await transfer(installation, service, () =>
    setting.generator.download(request),
  );
  const { value } = downloaded;
  say(`  ${path.split('=').at(-1)}: ${value.bytes} bytes in ${secondsText(value.tookMs)}`);
  if (value.accepted !== 1 || (lines !== undefined && value.lines !== lines))
    throw new Error(
      `${path}: ${value.lines} lines in place of ${lines} ${JSON.stringify(value.errors)}`,
    );
  return downloaded;
}

const toRow = (measure: string, count: number, { bytes, tookMs }: DownloadResult): Row => ({
  question,
  measure: `${measure} (${Math.round(bytes / 1e6)} MB)`,
  ours: rateText((count / tookMs) * 1000),
});
