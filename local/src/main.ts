import { Command } from 'commander';
import {
  demoJudgeModel,
  lacksDemoJudge,
  ownJudgesIn,
  withDemoJudge,
} from './demo-judge/demo-judge.ts';
import type { LocalConfig } from './environment.ts';
import { runSession } from './session.ts';
import { shellWord } from './shell-word.ts';

const { demoJudge: isDemoJudgeWanted } = new Command('npm start --')
  .description(
    'Runs Assay on this machine until Ctrl-C: MongoDB, NATS, all services and the gateway.',
  )
  .option(
    '--demo-judge',
    'play the judge of the demo: a program of the demo, in place of a language model',
  )
  .addHelpText(
    'after',
    '\nSettings are variables of the environment or of the file .env: .env.example lists them.',
  )
  .allowExcessArguments(false)
  .parse()
  .opts<{ demoJudge?: true }>();

async function adapt(config: LocalConfig): Promise<LocalConfig> {
  if (!isDemoJudgeWanted) return config;
  const taken = ownJudgesIn(config);
  if (taken.length === 0) return withDemoJudge(config);
  throw new Error(
    `--demo-judge takes the place of judges of your own: leave it out, or take away ${taken.join(' and ')}.`,
  );
}

await runSession(async ({ url, key, isNewKey, keyFile, folder, createLoginLink }) => {
  const link = await createLoginLink();
  process.stdout.write(`Assay is ready at ${url}\n`);
  if (link) process.stdout.write(`Sign in, once and within 10 minutes: ${link}\n`);
  if (isNewKey) process.stdout.write(`The admin key was made, and is in ${keyFile}\n`);
  process.stdout.write(`Guides and every operation: ${url}/docs\n`);
  process.stdout.write(
    `Try: curl -H "Authorization: Bearer $(cat ${shellWord(keyFile)})" ${url}/v2/projects\n`,
  );
  process.stdout.write(
    'Next: docs/first-evaluation.md evaluates your own system; README.md lists the other guides.\n',
  );
  if (isDemoJudgeWanted)
    process.stdout.write(
      `The demo's judge is there as ${demoJudgeModel}: a program of the demo, and no language model.\n`,
    );
  else if (await lacksDemoJudge({ url, key, folder }))
    process.stdout.write(
      'The judge of the demo is not there, and no other is configured: npm start -- --demo-judge plays it.\n',
    );
  process.stdout.write('Ctrl-C stops it.\n');
  return 'stay';
}, adapt);
