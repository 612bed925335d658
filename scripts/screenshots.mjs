// `npm run console:screenshots`: every page of the console as a picture, in screenshots/, and the
// few that the documents show, in docs/pictures/, with the labels that they had. It runs the demo in
// a folder of its own. `-- documents` draws those few alone.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { labelsFile, labelsOf } from './pictures/labels.ts';
import { root } from './prepare.mjs';

const folder = mkdtempSync(join(tmpdir(), 'assay-screenshots-'));
const shown = join(root, 'screenshots');
const pictures = join(root, 'docs', 'pictures');
for (const made of [shown, pictures]) mkdirSync(made, { recursive: true });

const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const demo = spawn(process.execPath, [join(root, 'scripts', 'run.mjs'), 'demo'], {
  env: { ...process.env, PORT: String(port), ASSAY_DATA_DIR: folder },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const ended = new Promise((resolve) => demo.once('exit', resolve));
try {
  await said(demo, 'Assay stays up');
  await drawAll(readFileSync(join(folder, 'admin-key'), 'utf8').trim());
} finally {
  demo.kill('SIGINT');
  await ended;
  rmSync(folder, { recursive: true, force: true });
}

async function drawAll(key) {
  const executablePath = process.env.CHROMIUM_PATH ?? chromiumOnPath();
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const pages = await pagesOf(key);
  if (!process.argv.includes('documents')) await drawEveryPage({ browser, key, pages });
  await drawForDocuments({ browser, key, pages });
  await browser.close();
}

async function drawEveryPage({ browser, key, pages }) {
  for (const colorScheme of ['light', 'dark'])
    for (const width of [1440, 1024, 390]) {
      const page = await signedIn(browser, key, { colorScheme, viewport: { width, height: 800 } });
      for (const [name, path] of pages) {
        await show(page, path);
        await page.screenshot({
          path: join(shown, `${name}-${colorScheme}-${width}.png`),
          fullPage: true,
        });
        process.stdout.write(`${name} ${colorScheme} ${width}\n`);
      }
      await page.context().close();
    }
}

/** Draws what the documents show, small enough for them, and writes the labels beside it. */
async function drawForDocuments({ browser, key, pages }) {
  const page = await signedIn(browser, key, {
    colorScheme: 'light',
    viewport: { width: 1100, height: 660 },
  });
  const labels = {};
  for (const [name, path] of pages.filter(([name]) =>
    ['comparison', 'run', 'record'].includes(name),
  )) {
    await show(page, path);
    await page.screenshot({ path: join(pictures, `${name}.jpg`), type: 'jpeg', quality: 60 });
    labels[name] = await labelsOf(page);
  }
  writeFileSync(labelsFile, `${JSON.stringify(labels, null, 2)}\n`);
}

function chromiumOnPath() {
  const look =
    'command -v chromium-headless-shell || command -v chromium || command -v chromium-browser || command -v google-chrome';
  return execFileSync('sh', ['-c', look], { encoding: 'utf8' }).trim();
}

async function signedIn(browser, key, options) {
  const context = await browser.newContext(options);
  const reply = await context.request.post(`${url}/v2/session`, {
    headers: { authorization: `Bearer ${key}` },
  });
  // The console keeps the second secret of its session here.
  const stored = ['assay console ', reply.headers()['x-assay-console']];
  await context.addInitScript(`localStorage.setItem(...${JSON.stringify(stored)})`);
  return context.newPage();
}

async function show(page, path) {
  await page.goto(`${url}${path}`);
  await page.waitForLoadState('networkidle');
}

/** The pages with the ids of the demo. */
async function pagesOf(key) {
  const get = async (path) => {
    const reply = await fetch(`${url}/v2${path}`, { headers: { authorization: `Bearer ${key}` } });
    return (await reply.json()).data;
  };
  const [project] = await get('/projects');
  const within = `/projects/${project.id}`;
  const [candidate, baseline] = await get(`${within}/runs`);
  const [metric] = await get(`${within}/metrics`);
  const [trace] = await get(`${within}/traces?limit=1`);
  const [system] = await get(`${within}/systems`);
  const [testset] = await get(`${within}/testsets`);
  const [record] = await get(`/runs/${candidate.id}/records?limit=1&preview=0`);
  return [
    ['projects', '/projects'],
    ['import', `${within}/import`],
    ['overview', within],
    ['new-run', `${within}/runs/new`],
    ['runs', `${within}/runs`],
    ['run', `${within}/runs/${candidate.id}`],
    ['run-summary', `${within}/runs/${candidate.id}?tab=summary`],
    ['record', `${within}/records/${record.id}`],
    [
      'comparison',
      `${within}/compare?baseline=${baseline.id}&candidate=${candidate.id}&show=regressed`,
    ],
    [
      'comparison-testcases',
      `${within}/compare?baseline=${baseline.id}&candidate=${candidate.id}&tab=testcases`,
    ],
    ['traces', `${within}/traces`],
    ['trace', `${within}/traces/${trace.traceId}`],
    ['monitors', `${within}/monitors`],
    ['systems', `${within}/systems`],
    ['system', `${within}/systems/${system.id}`],
    ['testsets', `${within}/testsets`],
    ['testset', `${within}/testsets/${testset.id}`],
    ['testset-schema', `${within}/testsets/${testset.id}?tab=schema`],
    ['testset-history', `${within}/testsets/${testset.id}?tab=history`],
    ['testset-hardest', `${within}/testsets/${testset.id}?tab=hardest`],
    ['metrics', `${within}/metrics`],
    ['metric', `${within}/metrics/${metric.id}`],
    ['metric-trend', `${within}/metrics/${metric.id}?tab=trend`],
    ['new-metric', `${within}/metrics/new`],
    ['ready-made-judges', `${within}/metrics/new?library=open`],
    ['review', `${within}/review`],
    ['organization', '/settings/organization'],
    ['members', '/settings/members'],
    ['keys', '/settings/keys'],
    ['usage', '/settings/usage'],
    ['judges', '/settings/judges'],
  ];
}

/** Resolves when a process has said a text. */
function said(child, text) {
  return new Promise((resolve, reject) => {
    let all = '';
    child.stdout.on('data', (chunk) => {
      all += chunk;
      if (all.includes(text)) resolve();
    });
    child.once('exit', (code) => reject(new Error(`The demo ended with ${code}.`)));
  });
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
