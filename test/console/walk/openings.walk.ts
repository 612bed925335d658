import { beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from '../browser.ts';
import { makeOpeningContent } from '../openings/content.ts';
import { dialogs } from '../openings/dialogs.ts';
import { menus } from '../openings/menus.ts';
import { type Finding, tableOf } from './findings.ts';
import { walkOpenings } from './walk-openings.ts';

describeInBrowser('all that opens over a page', (stage) => {
  const openings = [...dialogs, ...menus];
  let findings: Finding[];
  beforeAll(async () => {
    const content = await makeOpeningContent(stage.assay.call);
    findings = await walkOpenings(() => stage.visit(), openings, content);
    process.stdout.write(tableOf('dialogs and menus', openings.length, findings));
  });

  test.each([
    ['moves nothing of the page behind it', 'shift'],
    ['has nothing that axe finds, at three widths and in both themes', 'accessibility'],
    ['is in the window, and cuts nothing off', 'width'],
    ['leaves a clean log', 'complaints'],
  ] as const)('%s', (_rule, kind) => {
    expect(findings.filter((finding) => finding.kind === kind)).toEqual([]);
  });
});
