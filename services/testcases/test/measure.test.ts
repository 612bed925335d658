import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { start as startCatalog } from '@assay/catalog/service';
import { identityHeader, sealIdentity } from '@assay/runtime/signature';
import { startWorld } from '@assay/testing/world';
import { test } from 'vitest';
import { start } from '../src/service.ts';
import { createTestset } from './testset.ts';
setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;
test('measure', { timeout: 200_000 }, async () => {
  const world = await startWorld({ services: { catalog: startCatalog, testcases: start } });
  const testsetId = await createTestset(world, { jsonSchema: {} });
  let sent = 0;
  async function* lines() {
    for (let from = 0; from < 20_000; from += 10) {
      const piece = Buffer.from(Array.from({ length: 10 }, (_, at) => `{"index":${from + at},"text":"${'x'.repeat(8000)}"}\n`).join(''));
      sent += piece.length;
      yield piece;
    }
  }
  const response = await fetch(`${world.urls.testcases}/testsets/${testsetId}/testcases/import`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson', [identityHeader]: sealIdentity(world.config.ASSAY_SECRET, world.identity) },
    body: ReadableStream.from(lines()),
    duplex: 'half',
  } as RequestInit);
  let got = 0, at = 0, n = 0;
  const t = performance.now();
  for await (const piece of response.body!) {
    got += Buffer.from(piece).toString().split('\n').length - 1;
    n++;
    if (got > at + 2000) {
      at = got;
      gc();
      await new Promise((r) => setTimeout(r, 50));
      gc();
      const m = process.memoryUsage();
      console.log(n, got, Math.round(sent / 8030), JSON.stringify(Object.fromEntries(Object.entries(m).map(([k, v]) => [k, Math.round(v / 1048576)]))));
    }
  }
  console.log(performance.now() - t);
  await world.stop();
});
