import { runSession } from './session.ts';

await runSession(async ({ url, key, isNewKey, folder }) => {
  process.stdout.write(`Assay is ready at ${url}\n`);
  if (isNewKey) process.stdout.write(`Admin key, shown this once and kept in ${folder}/admin-key: ${key}\n`);
  process.stdout.write(`API page: ${url}/docs\n`);
  process.stdout.write(`Try: curl -H "Authorization: Bearer $(cat ${folder}/admin-key)" ${url}/v2/projects\n`);
  process.stdout.write('Ctrl-C stops it.\n');
  return 'stay';
});
