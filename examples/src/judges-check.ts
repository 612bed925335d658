import { createClient } from '@assay/client/client';
import { runSession } from '@assay/local/session';
import { type JudgeAgreement, measureJudges } from './judges/agreement.ts';
import { readCheckArguments } from './judges/arguments.ts';
import { listLabelledTemplates } from './judges/labelled-records.ts';
import { agreementHead, agreementRow, explainAgreement, remark } from './judges/report.ts';

await run();

/** `npm run judges:check`: the arguments are read before anything is started. */
async function run(): Promise<void> {
  const { model, template } = readCheckArguments(
    process.argv.slice(2),
    await listLabelledTemplates(),
  );
  await runSession(async ({ url, key }) => {
    const client = createClient({ url: `${url}/v2`, key });
    const time = new Date().toISOString().slice(0, 19).replace('T', ' ');
    const projectName = `Judges ${time}: ${model ?? 'the default model'}`;
    const agreements: JudgeAgreement[] = [];
    await measureJudges({
      client,
      model,
      templates: template,
      projectName,
      onAgreement: (agreement) => {
        if (agreements.length === 0) print('', agreementHead);
        agreements.push(agreement);
        print(agreementRow(agreement));
      },
    });
    print(...agreements.flatMap(explainAgreement), '', remark);
    print(`The scores are kept in the project "${projectName}"; npm start serves it.`);
    if (agreements.some(({ failures }) => failures.length > 0))
      throw new Error('Not every record could be scored: the reasons are above.');
    return 'leave';
  });
}

function print(...lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
