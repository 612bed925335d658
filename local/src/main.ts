import { Command } from 'commander';
import { runSession } from './session.ts';
import { shellWord } from './shell-word.ts';

new Command('npm start --')
  .description(
    'Runs Assay on this machine until Ctrl-C: MongoDB, NATS, all services and the gateway.',
  )
  .addHelpText(
    'after',
    '\nIt has no other options. Settings are variables of the environment or of the file .env: .env.example lists them.',
  )
  .allowExcessArguments(false)
  .parse();

await runSession(async ({ url, isNewKey, keyFile, createLoginLink }) => {
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
  process.stdout.write('Ctrl-C stops it.\n');
  return 'stay';
});
